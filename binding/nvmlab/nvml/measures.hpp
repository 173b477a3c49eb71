// SPDX-License-Identifier: Apache-2.0
// The units of quantities: how each is written, and which measure the same. Covered by tests/binding/units_test.cpp.
#pragma once

#include <cstdint>

/// What quantities are counted in.
namespace nvml::inline v1::unit {
/// Power.
struct milliwatt {
  static constexpr const char* symbol = "mW";  ///< as it is written
};
/// Power: 1000 mW.
struct watt {
  static constexpr const char* symbol = "W";  ///< as it is written
};
/// Energy.
struct millijoule {
  static constexpr const char* symbol = "mJ";  ///< as it is written
};
/// Electric current.
struct ampere {
  static constexpr const char* symbol = "A";  ///< as it is written
};
/// Electric tension.
struct volt {
  static constexpr const char* symbol = "V";  ///< as it is written
};
/// Frequency.
struct kilohertz {
  static constexpr const char* symbol = "kHz";  ///< as it is written
};
/// Frequency: 1000 kHz.
struct megahertz {
  static constexpr const char* symbol = "MHz";  ///< as it is written
};
/// Memory.
struct byte {
  static constexpr const char* symbol = "B";  ///< as it is written
};
/// Memory: 1024 B.
struct kibibyte {
  static constexpr const char* symbol = "KiB";  ///< as it is written
};
/// Memory: 1024 KiB.
struct mebibyte {
  static constexpr const char* symbol = "MiB";  ///< as it is written
};
/// Temperature, in degrees.
struct celsius {
  static constexpr const char* symbol = "C";  ///< as it is written
};
/// A share, 0 to 100 but where a method says more.
struct percent {
  static constexpr const char* symbol = "%";  ///< as it is written
};
/// Turns of a fan in a minute.
struct rpm {
  static constexpr const char* symbol = "rpm";  ///< as it is written
};
/// Transfer: 1000 B in a second.
struct kilobyte_per_second {
  static constexpr const char* symbol = "KB/s";  ///< as it is written
};
/// Transfer: 1000 KB in a second.
struct megabyte_per_second {
  static constexpr const char* symbol = "MB/s";  ///< as it is written
};
/// Transfer: 1024 KiB in a second.
struct mebibyte_per_second {
  static constexpr const char* symbol = "MiB/s";  ///< as it is written
};
/// Change of power.
struct milliwatt_per_second {
  static constexpr const char* symbol = "mW/s";  ///< as it is written
};

/// Of units that measure the same: how many of the smallest one it is.
template <class Unit>
struct Measure {
  using smallest = Unit;                     ///< of those that measure the same
  static constexpr std::int64_t factor = 1;  ///< how many of the smallest
};
/// Of a watt.
template <>
struct Measure<watt> {
  using smallest = milliwatt;                   ///< of those that measure the same
  static constexpr std::int64_t factor = 1000;  ///< how many of the smallest
};
/// Of a megahertz.
template <>
struct Measure<megahertz> {
  using smallest = kilohertz;                   ///< of those that measure the same
  static constexpr std::int64_t factor = 1000;  ///< how many of the smallest
};
/// Of a kibibyte.
template <>
struct Measure<kibibyte> {
  using smallest = byte;                             ///< of those that measure the same
  static constexpr std::int64_t factor = 1LL << 10;  ///< how many of the smallest
};
/// Of a mebibyte.
template <>
struct Measure<mebibyte> {
  using smallest = byte;                             ///< of those that measure the same
  static constexpr std::int64_t factor = 1LL << 20;  ///< how many of the smallest
};
}  // namespace nvml::inline v1::unit
