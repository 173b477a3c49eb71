// SPDX-License-Identifier: Apache-2.0
// The units of quantities: how each is written, and which measure the same. Covered by tests/binding/units_test.cpp.
#pragma once

#include <cstdint>

namespace nvml::inline v1 {

namespace unit {
struct milliwatt {
  static constexpr const char* symbol = "mW";
};
struct watt {
  static constexpr const char* symbol = "W";
};
struct millijoule {
  static constexpr const char* symbol = "mJ";
};
struct ampere {
  static constexpr const char* symbol = "A";
};
struct volt {
  static constexpr const char* symbol = "V";
};
struct kilohertz {
  static constexpr const char* symbol = "kHz";
};
struct megahertz {
  static constexpr const char* symbol = "MHz";
};
struct byte {
  static constexpr const char* symbol = "B";
};
struct kibibyte {
  static constexpr const char* symbol = "KiB";
};
struct mebibyte {
  static constexpr const char* symbol = "MiB";
};
struct celsius {
  static constexpr const char* symbol = "C";
};
struct percent {
  static constexpr const char* symbol = "%";
};
struct rpm {
  static constexpr const char* symbol = "rpm";
};
struct kilobyte_per_second {
  static constexpr const char* symbol = "KB/s";
};
struct megabyte_per_second {
  static constexpr const char* symbol = "MB/s";
};
struct mebibyte_per_second {
  static constexpr const char* symbol = "MiB/s";
};
struct milliwatt_per_second {
  static constexpr const char* symbol = "mW/s";
};

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

}  // namespace nvml::inline v1
