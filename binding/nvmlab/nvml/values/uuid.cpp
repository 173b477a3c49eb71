// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/uuid.hpp"

#include <string_view>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "nvmlab/nvml/convert.hpp"

namespace nvml::inline v1 {

std::string to_string(const Uuid& uuid) {
  if (const auto* text = std::get_if<std::string>(&uuid)) return *text;
  std::string written;
  if (const auto* bytes = std::get_if<std::array<std::uint8_t, 16>>(&uuid)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    for (const std::uint8_t byte : *bytes) {
      written += kDigits[byte >> 4U];
      written += kDigits[byte & 0xFU];
    }
    for (const std::size_t at : {20U, 16U, 12U, 8U})  // the last first, which moves no other
      written.insert(at, 1, '-');
  }
  return written;
}

}  // namespace nvml::inline v1

namespace nvml::abi {

void from_c(const nvmlUUID_v1_t& c, Uuid& value) {
  using nvml::detail::from_c;
  value = std::monostate{};
  if (c.type == NVML_UUID_TYPE_ASCII) from_c(c.value.str, value.emplace<std::string>());
  if (c.type == NVML_UUID_TYPE_BINARY) from_c(c.value.bytes, value.emplace<std::array<std::uint8_t, 16>>());
}

void to_c(const Uuid& value, nvmlUUID_v1_t& c) {
  using nvml::detail::to_c;
  c = {};
  c.version = version_of<nvmlUUID_v1_t>;
  if (const auto* text = std::get_if<std::string>(&value)) {
    c.type = NVML_UUID_TYPE_ASCII;
    to_c(*text, c.value.str);
  } else if (const auto* bytes = std::get_if<std::array<std::uint8_t, 16>>(&value)) {
    c.type = NVML_UUID_TYPE_BINARY;
    to_c(*bytes, c.value.bytes);
  }
}

}  // namespace nvml::abi
