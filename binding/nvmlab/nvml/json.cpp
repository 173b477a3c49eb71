// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "nvmlab/nvml/objects.hpp"

namespace nvml::inline v1 {

namespace {

// The length of the well-formed UTF-8 sequence at the start of a text that is not empty; 0 where there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  // What the second byte may be keeps out overlong forms, surrogates and what lies beyond Unicode.
  const unsigned char lowest = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char highest = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (byte(1) < lowest || byte(1) > highest) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void put_ascii(std::string& json, char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto code = static_cast<unsigned char>(c);
  if (c == '"' || c == '\\') {
    json.append(1, '\\').append(1, c);
  } else if (code < 0x20) {
    json.append("\\u00").append(1, kDigits[code >> 4]).append(1, kDigits[code & 15]);
  } else {
    json += c;
  }
}

}  // namespace

namespace detail {

// A driver's texts may hold any bytes; JSON is UTF-8, so one that is none becomes U+FFFD.
void put_text(std::string& json, std::string_view text) {
  json += '"';
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      json += "\\ufffd";
    } else if (length == 1) {
      put_ascii(json, text.front());
    } else {
      json += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  json += '"';
}

void put_number(std::string& json, double number) {
  std::array<char, 32> room{};
  if (!std::isfinite(number)) {
    json += "null";
    return;
  }
  const auto end = std::to_chars(room.data(), room.data() + room.size(), number).ptr;
  json.append(room.data(), end);
}

void put_name(std::string& json, std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  put_text(json, name);
}

}  // namespace detail

std::string to_json(const Snapshot& snapshot) {
  std::string json = "{";
  std::string errors;
  snapshot.for_each([&](std::string_view name, const auto& answer) {
    detail::put_text(json, name);
    json += ':';
    detail::put(json, answer);
    json += ',';
    if (answer) return;
    if (!errors.empty()) errors += ',';
    detail::put_text(errors, name);
    errors += ':';
    detail::put_text(errors, error_text(answer.error().code()));
  });
  return json + "\"errors\":{" + errors + "}}";
}

}  // namespace nvml::inline v1
