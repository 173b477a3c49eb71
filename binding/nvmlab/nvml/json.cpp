// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/json.hpp"

#include <array>
#include <charconv>
#include <cmath>

#include "nvmlab/nvml/objects.hpp"

namespace nvml::inline v1 {

namespace detail {

void put_text(std::string& json, std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  json += '"';
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json.append(1, '\\').append(1, c);
    } else if (code < 0x20) {
      json.append("\\u00").append(1, kDigits[code >> 4]).append(1, kDigits[code & 15]);
    } else {
      json += c;
    }
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
