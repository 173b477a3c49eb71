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

namespace {

// "a":1,"b":2
void put_member(std::string& members, std::string_view name, std::string_view value) {
  if (!members.empty()) members += ',';
  detail::put_text(members, name);
  members.append(":").append(value);
}

bool was_asked(const Error& error) { return error != detail::not_asked(); }

// The answer under its name, and why there is none.
template <class T>
void put_answer(std::string& members, std::string& errors, std::string_view name, const Result<T>& answer) {
  if (!answer && !was_asked(answer.error())) return;
  put_member(members, name, to_json(answer));
  if (!answer) put_member(errors, name, to_json(error_text(answer.error().code())));
}

// A name that ends in _ because the word is C++'s own.
std::string_view plain(std::string_view name) {
  if (name.ends_with('_')) name.remove_suffix(1);
  return name;
}

}  // namespace

std::string to_json(const Snapshot& snapshot) {
  std::string members;
  std::string errors;
  snapshot.for_each([&](std::string_view name, const auto& answer) { put_answer(members, errors, name, answer); });
  snapshot.for_each_keyed([&](std::string_view name, const auto& answers) {
    std::string keyed;
    std::string refused;
    for (const auto& [key, answer] : answers)
      put_answer(keyed, refused, plain(name_of(key)), answer);
    if (!keyed.empty()) put_member(members, name, "{" + keyed + "}");
    if (!refused.empty()) put_member(errors, name, "{" + refused + "}");
  });
  put_member(members, "errors", "{" + errors + "}");
  return "{" + members + "}";
}

}  // namespace nvml::inline v1
