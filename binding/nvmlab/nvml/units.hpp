// SPDX-License-Identifier: Apache-2.0
// Quantities with a unit: what is in milliwatts cannot be passed as megahertz. A quantity is its number and costs
// nothing more. Times are std::chrono's. Covered by tests/binding/units_test.cpp and tests/binding/compile_fail/.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "nvmlab/loader/lean_std.hpp"
#include "nvmlab/nvml/measures.hpp"

namespace nvml::inline v1 {

template <class Unit, class Number>
class Quantity;

namespace detail {

// Whether each number of the larger unit is a whole number of the smaller, of a sign that this can have.
template <class Larger, class Count, class Smaller, class Number>
concept FitsIn = !std::is_same_v<Larger, Smaller> &&
                 std::is_same_v<typename unit::Measure<Larger>::smallest, typename unit::Measure<Smaller>::smallest> &&
                 (unit::Measure<Larger>::factor % unit::Measure<Smaller>::factor == 0) &&
                 (std::is_floating_point_v<Number> ||
                  (std::is_integral_v<Count> && (std::is_signed_v<Number> || !std::is_signed_v<Count>)));

}  // namespace detail

/// `Unit` is a tag, `Number` what it is counted in: NVML's integer; 64 bits with a sign for a difference, which may be
/// negative; double for what was multiplied by a fraction. No step of a reckoning cuts off or wraps silently: back to
/// NVML's number goes quantity_cast.
///
///     device.set_power_management_limit(nvml::quantity_cast<nvml::Milliwatts>(limit * 0.8));
template <class Unit, class Number>
class Quantity {
 public:
  using unit = Unit;      ///< one of nvml::unit
  using number = Number;  ///< that counts it

  constexpr Quantity() = default;
  constexpr explicit Quantity(Number count) noexcept : count_(count) {}  ///< so many of the unit
  /// Of a larger unit of the same measure, which is no loss: 300_W is 300'000 mW. What the number cannot hold becomes
  /// the most that it can. The other way a fraction would be cut off: quantity_cast says so.
  template <class Larger, class Count>
  requires detail::FitsIn<Larger, Count, Unit, Number>
  constexpr Quantity(Quantity<Larger, Count> quantity) noexcept;  // NOLINT(google-explicit-constructor): loses nothing

  constexpr Number count() const noexcept { return count_; }  ///< without the unit

  constexpr auto operator<=>(const Quantity&) const = default;  ///< by the number
  /// More of it.
  constexpr Quantity& operator+=(Quantity other) noexcept {
    count_ = static_cast<Number>(count_ + other.count_);
    return *this;
  }
  /// Less of it, where that may be less than nothing.
  constexpr Quantity& operator-=(Quantity other) noexcept requires std::is_signed_v<Number> {
    count_ = static_cast<Number>(count_ - other.count_);
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) noexcept { return a += b; }  ///< the sum
  /// So many times as much.
  friend constexpr Quantity operator*(Quantity a, Number factor) noexcept {
    return Quantity{static_cast<Number>(a.count_ * factor)};
  }
  /// so many times as much
  friend constexpr Quantity operator*(Number factor, Quantity a) noexcept { return a * factor; }
  /// A part of it; what is less than a whole unit is cut off.
  friend constexpr Quantity operator/(Quantity a, Number divisor) noexcept {
    return Quantity{static_cast<Number>(a.count_ / divisor)};
  }

  /// "70210 mW"
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& stream, Quantity quantity) {
    return stream << +quantity.count_ << ' ' << Unit::symbol;
  }

 private:
  Number count_{};
};

namespace detail {

// What the difference of two numbers is counted in.
template <class A, class B>
using Signed = std::conditional_t<std::is_floating_point_v<A> || std::is_floating_point_v<B>, double, std::int64_t>;

template <class To, class From>
constexpr To nearest(From value) noexcept {
  if constexpr (std::is_floating_point_v<To> || std::is_same_v<To, From>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    // 2^63 and its like are doubles, the greatest numbers below them are none.
    if (!(value > static_cast<From>(std::numeric_limits<To>::min()))) return std::numeric_limits<To>::min();
    if (value >= static_cast<From>(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value < 0 ? value - 0.5 : value + 0.5);
  } else {
    if (std::cmp_less(value, std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
    if (std::cmp_greater(value, std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
    return static_cast<To>(value);
  }
}

template <class A, class B>
constexpr std::partial_ordering order(A a, B b) noexcept {
  if constexpr (std::is_floating_point_v<A> || std::is_floating_point_v<B>) {
    return static_cast<double>(a) <=> static_cast<double>(b);
  } else {
    return std::cmp_less(a, b)      ? std::partial_ordering::less
           : std::cmp_greater(a, b) ? std::partial_ordering::greater
                                    : std::partial_ordering::equivalent;
  }
}

}  // namespace detail

/// Signed, so that 5 less 10 is -5 whatever the two are counted in.
template <class Unit, class A, class B>
constexpr auto operator-(Quantity<Unit, A> a, Quantity<Unit, B> b) noexcept {
  using Number = detail::Signed<A, B>;
  return Quantity<Unit, Number>{static_cast<Number>(static_cast<Number>(a.count()) - static_cast<Number>(b.count()))};
}

/// Of two that are counted differently, such as a clock and its offset.
template <class Unit, class A, class B>
requires(!std::is_same_v<A, B>) constexpr auto operator+(Quantity<Unit, A> a, Quantity<Unit, B> b) noexcept {
  using Number = detail::Signed<A, B>;
  return Quantity<Unit, Number>{static_cast<Number>(static_cast<Number>(a.count()) + static_cast<Number>(b.count()))};
}
template <class Unit, class A, class B>
requires(!std::is_same_v<A, B>) constexpr bool operator==(Quantity<Unit, A> a, Quantity<Unit, B> b) noexcept {
  return detail::order(a.count(), b.count()) == 0;
}
/// Compared as numbers.
template <class Unit, class A, class B>
requires(!std::is_same_v<A, B>) constexpr std::partial_ordering operator<=>(Quantity<Unit, A> a,
                                                                            Quantity<Unit, B> b) noexcept {
  return detail::order(a.count(), b.count());
}

/// A fraction of it, which is counted in double.
template <class Unit, class Number, std::floating_point Factor>
constexpr Quantity<Unit, double> operator*(Quantity<Unit, Number> a, Factor factor) noexcept {
  return Quantity<Unit, double>{static_cast<double>(a.count()) * static_cast<double>(factor)};
}
/// Likewise.
template <class Unit, class Number, std::floating_point Factor>
constexpr Quantity<Unit, double> operator*(Factor factor, Quantity<Unit, Number> a) noexcept {
  return a * factor;
}
/// A part of it, which is counted in double.
template <class Unit, class Number, std::floating_point Divisor>
constexpr Quantity<Unit, double> operator/(Quantity<Unit, Number> a, Divisor divisor) noexcept {
  return Quantity<Unit, double>{static_cast<double>(a.count()) / static_cast<double>(divisor)};
}
/// How many times the one is the other.
template <class Unit, class A, class B>
constexpr double operator/(Quantity<Unit, A> a, Quantity<Unit, B> b) noexcept {
  return static_cast<double>(a.count()) / static_cast<double>(b.count());
}

/// quantity_cast<Mebibytes>(bytes): what does not fill a whole unit is cut off, as with duration_cast; a double is
/// rounded; what the number cannot hold becomes the nearest that it can, so less than nothing of an unsigned is
/// nothing.
template <class To, class Unit, class Number>
constexpr To quantity_cast(Quantity<Unit, Number> from) noexcept {
  using Mine = nvml::unit::Measure<Unit>;
  using Theirs = nvml::unit::Measure<typename To::unit>;
  static_assert(std::is_same_v<typename Mine::smallest, typename Theirs::smallest>,
                "these units measure different things");
  /// Wide enough for both, with Number's sign, so that no step wraps.
  using Wide = std::conditional_t<std::is_floating_point_v<Number> || std::is_floating_point_v<typename To::number>,
                                  double, std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>>;
  const auto count = static_cast<Wide>(from.count());
  if constexpr (Mine::factor >= Theirs::factor) {
    constexpr auto factor = static_cast<Wide>(Mine::factor / Theirs::factor);
    if constexpr (std::is_integral_v<Wide>) {
      if (count > std::numeric_limits<Wide>::max() / factor) return To{std::numeric_limits<typename To::number>::max()};
      if (count < std::numeric_limits<Wide>::min() / factor) return To{std::numeric_limits<typename To::number>::min()};
    }
    return To{detail::nearest<typename To::number>(count * factor)};
  } else {
    return To{detail::nearest<typename To::number>(count / static_cast<Wide>(Theirs::factor / Mine::factor))};
  }
}

template <class Unit, class Number>
template <class Larger, class Count>
requires detail::FitsIn<Larger, Count, Unit, Number>
constexpr Quantity<Unit, Number>::Quantity(Quantity<Larger, Count> quantity) noexcept
    : count_(quantity_cast<Quantity>(quantity).count_) {}

using Milliwatts = Quantity<unit::milliwatt, unsigned>;         ///< power
using Watts = Quantity<unit::watt, unsigned>;                   ///< power
using Millijoules = Quantity<unit::millijoule, std::uint64_t>;  ///< energy
using Amperes = Quantity<unit::ampere, unsigned>;               ///< electric current
using Volts = Quantity<unit::volt, unsigned>;                   ///< electric tension
using Kilohertz = Quantity<unit::kilohertz, unsigned>;          ///< frequency
using Megahertz = Quantity<unit::megahertz, unsigned>;          ///< frequency
using MegahertzOffset = Quantity<unit::megahertz, int>;         ///< a difference of clocks, may be negative
using Bytes = Quantity<unit::byte, std::uint64_t>;              ///< memory
using Kibibytes = Quantity<unit::kibibyte, std::uint64_t>;      ///< memory, by 1024
using Mebibytes = Quantity<unit::mebibyte, std::uint64_t>;      ///< memory, by 1024 twice
using Celsius = Quantity<unit::celsius, int>;                   ///< temperature
using Percent = Quantity<unit::percent, unsigned>;              ///< a share
using Rpm = Quantity<unit::rpm, unsigned>;                      ///< turns of a fan
using KilobytesPerSecond = Quantity<unit::kilobyte_per_second, std::uint64_t>;  ///< transfer, by 1000
using MegabytesPerSecond = Quantity<unit::megabyte_per_second, std::uint64_t>;  ///< transfer, by 1000 twice
using MebibytesPerSecond = Quantity<unit::mebibyte_per_second, std::uint64_t>;  ///< transfer, by 1024 twice
using MilliwattsPerSecond = Quantity<unit::milliwatt_per_second, unsigned>;     ///< change of power

/// "70210 mW"
template <class Unit, class Number>
std::string to_string(Quantity<Unit, Number> quantity) {
  return std::to_string(quantity.count()).append(" ").append(Unit::symbol);
}

namespace detail {

// Two units of one measure, as one that both can be told in without a fraction.
template <class A, class B>
concept Related =
    !std::is_same_v<A, B> && std::is_same_v<typename unit::Measure<A>::smallest, typename unit::Measure<B>::smallest>;

// Differences and comparisons of what may be less than nothing need a sign; 2^63 of the smallest units are enough for
// all that NVML tells.
template <class Number>
using Exact = std::conditional_t<std::is_floating_point_v<Number>, double, std::int64_t>;
template <class Unit, class Number>
constexpr auto smallest(Quantity<Unit, Number> quantity) noexcept {
  return quantity_cast<Quantity<typename unit::Measure<Unit>::smallest, Exact<Number>>>(quantity);
}

}  // namespace detail

/// Watts and Milliwatts, Bytes and Mebibytes: compared and reckoned with in the smallest unit.
template <class A, class N, class B, class M>
requires detail::Related<A, B>
constexpr bool operator==(Quantity<A, N> a, Quantity<B, M> b) noexcept {
  return detail::smallest(a) == detail::smallest(b);
}
/// Compared in the smallest unit.
template <class A, class N, class B, class M>
requires detail::Related<A, B>
constexpr std::partial_ordering operator<=>(Quantity<A, N> a, Quantity<B, M> b) noexcept {
  return detail::smallest(a) <=> detail::smallest(b);
}
/// The sum in the smallest unit.
template <class A, class N, class B, class M>
requires detail::Related<A, B>
constexpr auto operator+(Quantity<A, N> a, Quantity<B, M> b) noexcept {
  return detail::smallest(a) + detail::smallest(b);
}
/// The difference in the smallest unit, with a sign.
template <class A, class N, class B, class M>
requires detail::Related<A, B>
constexpr auto operator-(Quantity<A, N> a, Quantity<B, M> b) noexcept {
  return detail::smallest(a) - detail::smallest(b);
}

/// Energy over time is power, power for a time is energy.
template <class Number, class Rep, class Period>
constexpr Quantity<unit::milliwatt, double> operator/(Quantity<unit::millijoule, Number> energy,
                                                      std::chrono::duration<Rep, Period> time) noexcept {
  return Quantity<unit::milliwatt, double>{static_cast<double>(energy.count()) /
                                           std::chrono::duration<double>{time}.count()};
}
/// Power for a time is energy.
template <class Number, class Rep, class Period>
constexpr Quantity<unit::millijoule, double> operator*(Quantity<unit::milliwatt, Number> power,
                                                       std::chrono::duration<Rep, Period> time) noexcept {
  return Quantity<unit::millijoule, double>{static_cast<double>(power.count()) *
                                            std::chrono::duration<double>{time}.count()};
}

/// A moment, by the clock of the machine.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

}  // namespace nvml::inline v1

template <class Unit, class Number>
struct std::hash<nvml::Quantity<Unit, Number>> {
  std::size_t operator()(nvml::Quantity<Unit, Number> quantity) const noexcept {
    return std::hash<Number>{}(quantity.count());
  }
};
