// SPDX-License-Identifier: Apache-2.0
// A rate of errors of an NVLink, as fields tell it: mantissa and exponent in one word. Covered by
// tests/binding/typed_fields_test.cpp.
#pragma once

#include <cstdint>

#include "nvmlab/abi/generated/constants.hpp"

namespace nvml::inline v1 {

/// C: NVML_NVLINK_ERROR_COUNTER_BER_GET
class BitErrorRate {
 public:
  using number = std::uint64_t;  ///< that C has it in

  constexpr BitErrorRate() = default;
  constexpr explicit BitErrorRate(number raw) noexcept : raw_(raw) {}  ///< as C has it

  constexpr number raw() const noexcept { return raw_; }  ///< as C has it
  /// What is divided.
  constexpr unsigned mantissa() const noexcept {
    return static_cast<unsigned>(raw_ >> abi::NVLINK_BER_MANTISSA_SHIFT) & abi::NVLINK_BER_MANTISSA_WIDTH;
  }
  /// How often it is divided by ten.
  constexpr unsigned exponent() const noexcept { return static_cast<unsigned>(raw_) & abi::NVLINK_BER_EXP_WIDTH; }

  /// Errors for each bit: the mantissa times ten to the minus exponent.
  constexpr double value() const noexcept {
    double rate = mantissa();
    for (unsigned i = exponent(); i > 0; --i)
      rate /= 10;
    return rate;
  }
  bool operator==(const BitErrorRate&) const = default;

 private:
  number raw_ = 0;
};

}  // namespace nvml::inline v1
