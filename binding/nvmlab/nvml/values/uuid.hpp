// SPDX-License-Identifier: Apache-2.0
// A device's name for all time, as text or as sixteen bytes. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <variant>

namespace nvml::abi {
struct nvmlUUID_v1_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// A std::variant, with a text and a hash. None of both is what NVML calls the type "none".
///
/// C: nvmlUUID_v1_t
class Uuid : public std::variant<std::monostate, std::string, std::array<std::uint8_t, 16>> {
 public:
  using variant::variant;
};

/// The text, or sixteen bytes in the way of texts: "00112233-4455-6677-8899-aabbccddeeff"; of none "".
std::string to_string(const Uuid& uuid);
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, const Uuid& uuid) {
  return stream << to_string(uuid);
}

}  // namespace nvml::inline v1

/// Text and bytes of one UUID are two values, as `==` has it.
template <>
struct std::hash<nvml::Uuid> {
  std::size_t operator()(const nvml::Uuid& uuid) const { return std::hash<std::string>{}(to_string(uuid)); }
};

namespace nvml::abi {
void from_c(const nvmlUUID_v1_t& c, Uuid& value);
void to_c(const Uuid& value, nvmlUUID_v1_t& c);
}  // namespace nvml::abi
