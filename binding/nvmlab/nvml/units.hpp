// SPDX-License-Identifier: Apache-2.0
// Quantities with a unit: what is in milliwatts cannot be passed as megahertz. A quantity is its number and costs
// nothing more. Times are std::chrono's. Covered by tests/binding/units_test.cpp and tests/binding/compile_fail/.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <type_traits>

namespace nvml {

/// `Unit` is a tag, `Number` what NVML counts it in.
template <class Unit, class Number>
class Quantity {
 public:
  using number = Number;

  constexpr Quantity() = default;
  constexpr explicit Quantity(Number count) noexcept : count_(count) {}

  constexpr Number count() const noexcept { return count_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity& operator+=(Quantity other) noexcept {
    count_ = static_cast<Number>(count_ + other.count_);
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other) noexcept {
    count_ = static_cast<Number>(count_ - other.count_);
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept { return a += b; }
  friend constexpr Quantity operator-(Quantity a, Quantity b) noexcept { return a -= b; }
  friend constexpr Quantity operator*(Quantity a, Number factor) noexcept {
    return Quantity{static_cast<Number>(a.count_ * factor)};
  }
  friend constexpr Quantity operator/(Quantity a, Number divisor) noexcept {
    return Quantity{static_cast<Number>(a.count_ / divisor)};
  }
  friend constexpr double operator/(Quantity a, Quantity b) noexcept {
    return static_cast<double>(a.count_) / static_cast<double>(b.count_);
  }

 private:
  Number count_{};
};

namespace unit {
struct milliwatt;
struct watt;
struct millijoule;
struct ampere;
struct volt;
struct kilohertz;
struct megahertz;
struct byte;
struct kibibyte;
struct mebibyte;
struct celsius;
struct percent;
struct rpm;
struct kilobyte_per_second;
struct megabyte_per_second;

// Of units that measure the same: how many of the smallest one it is.
template <class Unit>
struct Measure {
  using smallest = Unit;
  static constexpr std::int64_t factor = 1;
};
template <>
struct Measure<watt> {
  using smallest = milliwatt;
  static constexpr std::int64_t factor = 1000;
};
template <>
struct Measure<megahertz> {
  using smallest = kilohertz;
  static constexpr std::int64_t factor = 1000;
};
template <>
struct Measure<kibibyte> {
  using smallest = byte;
  static constexpr std::int64_t factor = 1LL << 10;
};
template <>
struct Measure<mebibyte> {
  using smallest = byte;
  static constexpr std::int64_t factor = 1LL << 20;
};
}  // namespace unit

/// quantity_cast<Mebibytes>(bytes): what does not fill a whole unit is cut off, as with duration_cast.
template <class To, class Unit, class Number>
constexpr To quantity_cast(Quantity<Unit, Number> from) noexcept {
  return []<class ToUnit, class ToNumber>(Quantity<Unit, Number> count, Quantity<ToUnit, ToNumber>) {
    static_assert(std::is_same_v<typename unit::Measure<Unit>::smallest, typename unit::Measure<ToUnit>::smallest>,
                  "these units measure different things");
    constexpr std::int64_t mine = unit::Measure<Unit>::factor;
    constexpr std::int64_t theirs = unit::Measure<ToUnit>::factor;
    if constexpr (mine >= theirs) {
      return Quantity<ToUnit, ToNumber>{
          static_cast<ToNumber>(static_cast<std::int64_t>(count.count()) * (mine / theirs))};
    } else {
      return Quantity<ToUnit, ToNumber>{
          static_cast<ToNumber>(static_cast<std::int64_t>(count.count()) / (theirs / mine))};
    }
  }(from, To{});
}

using Milliwatts = Quantity<unit::milliwatt, unsigned>;
using Watts = Quantity<unit::watt, unsigned>;
using Millijoules = Quantity<unit::millijoule, std::uint64_t>;
using Amperes = Quantity<unit::ampere, unsigned>;
using Volts = Quantity<unit::volt, unsigned>;
using Kilohertz = Quantity<unit::kilohertz, unsigned>;
using Megahertz = Quantity<unit::megahertz, unsigned>;
using MegahertzOffset = Quantity<unit::megahertz, int>;  ///< a difference of clocks, may be negative
using Bytes = Quantity<unit::byte, std::uint64_t>;
using Kibibytes = Quantity<unit::kibibyte, std::uint64_t>;
using Mebibytes = Quantity<unit::mebibyte, std::uint64_t>;
using Celsius = Quantity<unit::celsius, int>;
using Percent = Quantity<unit::percent, unsigned>;
using Rpm = Quantity<unit::rpm, unsigned>;
using KilobytesPerSecond = Quantity<unit::kilobyte_per_second, std::uint64_t>;
using MegabytesPerSecond = Quantity<unit::megabyte_per_second, std::uint64_t>;

/// A moment, by the clock of the machine.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace nvml
