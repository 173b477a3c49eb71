// SPDX-License-Identifier: Apache-2.0
// A set of flags, as NVML gives it: a number with a bit for each. Bits without a name are kept.
// Covered by tests/binding/values_enums_test.cpp.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <type_traits>

namespace nvml::inline v1 {

/// Enumerations whose enumerators may be put together with `|`.
template <class Flag>
inline constexpr bool is_flag = false;

/// A set of flags, as NVML gives it: a number with a bit for each. Bits without a name are kept.
template <class Flag>
class Flags {
 public:
  using flag = Flag;                            ///< one of them
  using number = std::underlying_type_t<Flag>;  ///< that has a bit for each

  constexpr Flags() = default;
  /// The one flag.
  constexpr Flags(Flag one) noexcept : raw_(static_cast<number>(one)) {}  // NOLINT(google-explicit-constructor)
  constexpr explicit Flags(number raw) noexcept : raw_(raw) {}            ///< as C has it

  constexpr number raw() const noexcept { return raw_; }  ///< as C has it

  /// All bits of `one`.
  constexpr bool has(Flag one) const noexcept { return (raw_ & static_cast<number>(one)) == static_cast<number>(one); }
  constexpr bool empty() const noexcept { return raw_ == 0; }  ///< whether no bit is set

  /// With those of the other.
  constexpr Flags& operator|=(Flags other) noexcept { return *this = Flags(static_cast<number>(raw_ | other.raw_)); }
  /// Those alone that the other has too.
  constexpr Flags& operator&=(Flags other) noexcept { return *this = Flags(static_cast<number>(raw_ & other.raw_)); }
  friend constexpr Flags operator|(Flags a, Flags b) noexcept { return a |= b; }  ///< the flags of both
  friend constexpr Flags operator&(Flags a, Flags b) noexcept { return a &= b; }  ///< what both have
  /// all others, those without a name too
  friend constexpr Flags operator~(Flags a) noexcept { return Flags(static_cast<number>(~a.raw_)); }
  friend constexpr bool operator==(Flags, Flags) = default;

 private:
  number raw_{};
};

/// A set of both.
template <class Flag>
requires is_flag<Flag>
constexpr Flags<Flag> operator|(Flag a, Flag b) noexcept { return Flags<Flag>(a) | b; }

/// A set of all others.
template <class Flag>
requires is_flag<Flag>
constexpr Flags<Flag> operator~(Flag a) noexcept { return ~Flags<Flag>(a); }

/// "gpu_idle|sw_power_cap", "" for the empty set; a bit without a name is "bit 17".
/// The names of the flags, gpu_idle|sw_power_cap.
template <class Flag>
std::string to_string(Flags<Flag> set) {
  std::string text;
  for (unsigned bit = 0; bit < 8 * sizeof(typename Flags<Flag>::number); ++bit) {
    const auto one = static_cast<Flag>(static_cast<typename Flags<Flag>::number>(std::uint64_t{1} << bit));
    if (!set.has(one)) continue;
    if (!text.empty()) text += '|';
    const std::string_view name = name_of(one);
    if (name.empty()) {
      text.append("bit ").append(std::to_string(bit));
    } else {
      text.append(name);
    }
  }
  return text;
}
template <class Traits, class Flag>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, Flags<Flag> set) {
  return stream << to_string(set);
}

}  // namespace nvml::inline v1

template <class Flag>
struct std::hash<nvml::Flags<Flag>> {
  std::size_t operator()(nvml::Flags<Flag> set) const noexcept {
    return std::hash<typename nvml::Flags<Flag>::number>{}(set.raw());
  }
};
