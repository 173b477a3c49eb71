// SPDX-License-Identifier: Apache-2.0
#include "compiler/texts.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::compiler {
namespace {

bool plain(std::string_view text) {
  const auto word = [](char letter) {
    return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
  };
  if (text.empty() || text == "null" || !word(text.front()) || text.back() == ' ') return false;
  for (char letter : text) {
    if (!word(letter) && std::string_view("_.+- /()").find(letter) == std::string_view::npos) return false;
  }
  return true;
}

}  // namespace

const char* text_flaw(std::string_view text) {
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first == 0) return "a NUL byte";
    if (first < 0x20 || first == 0x7F) return "a control character";
    const std::size_t length = utf8_length(text);
    if (length == 0) return "a byte that is not UTF-8";
    text.remove_prefix(length);
  }
  return nullptr;
}

std::expected<std::vector<std::byte>, std::string> parse_hex_bytes(std::string_view text, std::size_t size) {
  std::string_view rest = text.starts_with("0x") ? text.substr(2) : text;
  std::vector<std::byte> bytes;
  unsigned pending = 0;
  std::size_t digits = 0;
  for (char letter : rest) {
    if (letter == '-') continue;
    unsigned value = 0;
    if (letter >= '0' && letter <= '9') {
      value = static_cast<unsigned>(letter - '0');
    } else if (letter >= 'a' && letter <= 'f') {
      value = static_cast<unsigned>(letter - 'a') + 10;
    } else if (letter >= 'A' && letter <= 'F') {
      value = static_cast<unsigned>(letter - 'A') + 10;
    } else {
      return std::unexpected(fmt::format("{} is not hexadecimal", in_quotes(text)));
    }
    pending = pending * 16 + value;
    if (++digits % 2 == 0) {
      bytes.push_back(static_cast<std::byte>(pending));
      pending = 0;
    }
  }
  if (digits != size * 2) return std::unexpected(fmt::format("{} has {} hexadecimal digits", in_quotes(text), digits));
  return bytes;
}

std::string format_hex_bytes(const std::byte* bytes, std::size_t size) {
  std::string out;
  for (std::size_t i = 0; i < size; ++i) {
    if (size == 16 && (i == 4 || i == 6 || i == 8 || i == 10)) out += '-';
    out += fmt::format("{:02x}", static_cast<unsigned>(bytes[i]));
  }
  return out;
}

std::string yaml_scalar(std::string_view text) {
  if (plain(text)) return std::string(text);
  std::string out = "\"";
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = utf8_length(text);
    if (first == '"' || first == '\\') {
      out += '\\';
      out += text.front();
    } else if (first < 0x20 || first == 0x7F || length == 0) {
      out += fmt::format("\\x{:02x}", first);
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out + "\"";
}

}  // namespace nvmlab::compiler
