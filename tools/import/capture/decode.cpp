// SPDX-License-Identifier: Apache-2.0
#include "import/capture/decode.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "import/capture/capture.hpp"

namespace nvmlab::capture {
namespace {

void append_utf8(std::string& out, std::uint32_t point) {
  if (point < 0x80) {
    out += static_cast<char>(point);
    return;
  }
  const int more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  constexpr std::uint32_t heads[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(heads[more] | (point >> (6 * more)));
  for (int i = more - 1; i >= 0; --i)
    out += static_cast<char>(0x80 | ((point >> (6 * i)) & 0x3F));
}

// Half a pair, and a last odd byte, become the replacement character: what stands there is no value of ours.
std::string from_utf16(std::string_view bytes, bool low_first) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const auto unit = [&](std::size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]);
    const auto second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(low_first ? first | second << 8 : first << 8 | second);
  };
  std::string out;
  out.reserve(bytes.size() / 2);
  for (std::size_t at = 0; at < bytes.size(); at += 2) {
    if (at + 1 == bytes.size()) {
      append_utf8(out, kReplacement);
      break;
    }
    const auto one = unit(at);
    const bool high = one >= 0xD800 && one < 0xDC00;
    const bool low = one >= 0xDC00 && one < 0xE000;
    const auto two = high && at + 3 < bytes.size() ? unit(at + 2) : 0;
    if (high && two >= 0xDC00 && two < 0xE000) {
      append_utf8(out, 0x10000 + ((one - 0xD800) << 10) + (two - 0xDC00));
      at += 2;
    } else {
      append_utf8(out, high || low ? kReplacement : one);
    }
  }
  return out;
}

// "\r\n" and "\r" are line ends like "\n".
void to_unix_lines(std::string& text) {
  if (text.find('\r') == std::string::npos) return;
  std::size_t to = 0;
  for (std::size_t from = 0; from < text.size(); ++from) {
    if (text[from] == '\r' && from + 1 < text.size() && text[from + 1] == '\n') continue;
    text[to++] = text[from] == '\r' ? '\n' : text[from];
  }
  text.resize(to);
}

}  // namespace

std::expected<std::string, std::string> decode_text(std::string_view bytes, const std::string& name) {
  if (bytes.size() > max_bytes) {
    return std::unexpected(fmt::format(
        "{}:1:1: the file has more than {} MiB; no output of a tool that is read here has", name, max_bytes >> 20));
  }
  std::string text;
  if (bytes.starts_with("\xFF\xFE")) {
    text = from_utf16(bytes.substr(2), true);
  } else if (bytes.starts_with("\xFE\xFF")) {
    text = from_utf16(bytes.substr(2), false);
  } else {
    text = bytes.starts_with("\xEF\xBB\xBF") ? bytes.substr(3) : bytes;
  }
  to_unix_lines(text);
  if (const auto nul = text.find('\0'); nul != std::string::npos) {
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(nul), '\n');
    const auto start = text.rfind('\n', nul);
    const auto column = start == std::string::npos ? nul + 1 : nul - start;
    return std::unexpected(
        fmt::format("{}:{}:{}: a NUL byte; the file is binary or damaged, and text was expected", name, line, column));
  }
  return text;
}

}  // namespace nvmlab::capture
