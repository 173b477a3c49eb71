// SPDX-License-Identifier: Apache-2.0
// A version of CUDA, which C has as one number. Covered by tests/binding/whole_types_test.cpp.
#pragma once

#include <compare>
#include <iosfwd>
#include <string>

namespace nvml::inline v1 {

/// C: the number of nvmlSystemGetCudaDriverVersion_v2, 1000 times the major plus 10 times the minor version
class CudaVersion {
 public:
  using number = int;  ///< as C has it

  constexpr CudaVersion() = default;
  /// From C's number.
  constexpr explicit CudaVersion(number raw) noexcept : raw_(raw) {}
  /// From both parts of "12.4".
  constexpr CudaVersion(int major, int minor) noexcept : raw_(1000 * major + 10 * minor) {}

  constexpr number raw() const noexcept { return raw_; }             ///< C's number
  constexpr int major() const noexcept { return raw_ / 1000; }       ///< 12 of 12.4
  constexpr int minor() const noexcept { return raw_ % 1000 / 10; }  ///< 4 of 12.4

  /// Newer is greater.
  constexpr auto operator<=>(const CudaVersion&) const = default;

 private:
  number raw_ = 0;
};

/// "12.4"
inline std::string to_string(CudaVersion version) {
  return std::to_string(version.major()) + "." + std::to_string(version.minor());
}
/// Writes "12.4".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, CudaVersion version) {
  return stream << to_string(version);
}

}  // namespace nvml::inline v1
