// SPDX-License-Identifier: Apache-2.0
#include "recorder/json.hpp"

#include <cstdio>
#include <cstdlib>

namespace nvmlab::recorder {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

// How many bytes follow a first byte, and the smallest code point that needs so many; -1: no first byte.
int followers(unsigned char first) {
  if (first < 0x80) return 0;
  if (first >= 0xC2 && first <= 0xDF) return 1;
  if (first >= 0xE0 && first <= 0xEF) return 2;
  return first >= 0xF0 && first <= 0xF4 ? 3 : -1;
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const int more = followers(first);
    if (more < 0 || text.size() - i <= static_cast<std::size_t>(more)) return false;
    for (int k = 1; k <= more; ++k) {
      const auto next = static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]);
      if ((next & 0xC0) != 0x80) return false;
      // Overlong forms, surrogates, and what is beyond the last code point.
      if (k == 1 && ((first == 0xE0 && next < 0xA0) || (first == 0xED && next > 0x9F) ||
                     (first == 0xF0 && next < 0x90) || (first == 0xF4 && next > 0x8F)))
        return false;
    }
    i += static_cast<std::size_t>(more) + 1;
  }
  return true;
}

void Json::separate() {
  if (!first_) text_ += ',';
  first_ = false;
}

void Json::open(char bracket) {
  separate();
  text_ += bracket;
  first_ = true;
}

void Json::close(char bracket) {
  text_ += bracket;
  first_ = false;
}

Json& Json::key(std::string_view name) {
  text(name);
  text_ += ':';
  first_ = true;
  return *this;
}

void Json::number(std::uint64_t value) {
  separate();
  char digits[20];
  std::size_t at = sizeof digits;
  do {
    digits[--at] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  text_.append(digits + at, sizeof digits - at);
}

void Json::integer(std::int64_t value) {
  if (value >= 0) return number(static_cast<std::uint64_t>(value));
  separate();
  text_ += '-';
  first_ = true;
  number(~static_cast<std::uint64_t>(value) + 1);
}

void Json::real(double value) {
  if (value != value) return text("nan");
  if (value - value != 0) return text(value > 0 ? "inf" : "-inf");
  char digits[40];
  for (int precision = 15; precision <= 17; ++precision) {
    std::snprintf(digits, sizeof digits, "%.*g", precision, value);
    if (std::strtod(digits, nullptr) == value) break;
  }
  separate();
  text_ += digits;
}

void Json::boolean(bool value) {
  separate();
  text_ += value ? "true" : "false";
}

void Json::null() {
  separate();
  text_ += "null";
}

void Json::text(std::string_view value) {
  if (!is_utf8(value)) {
    begin_object();
    key("hex").hex(reinterpret_cast<const std::byte*>(value.data()), value.size());
    return end_object();
  }
  separate();
  text_ += '"';
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (c == '\n') {
      text_ += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += "\\u00";
      text_ += kDigits[static_cast<unsigned char>(c) >> 4];
      text_ += kDigits[c & 0xF];
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

void Json::hex(const std::byte* bytes, std::size_t size) {
  separate();
  text_ += '"';
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = static_cast<unsigned>(bytes[i]);
    text_ += kDigits[value >> 4];
    text_ += kDigits[value & 0xF];
  }
  text_ += '"';
}

}  // namespace nvmlab::recorder
