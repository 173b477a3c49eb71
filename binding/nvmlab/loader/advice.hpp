// SPDX-License-Identifier: Apache-2.0
// What is known about functions and return codes that helps whoever reads an error: generated from model/. Covered by
// tests/binding/advice_test.cpp.
#pragma once

#include <cstdint>

#include "nvmlab/abi/generated/enums.hpp"
#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/function_names.hpp"

namespace nvml::inline v1::detail {

struct FunctionFacts {
  std::uint32_t driver;   // the first that has it, as detail::driver_release() counts; 0: all have, or none is known to
  const char* boards;     // that support it, as far as known
  const char* arguments;  // "device,limit:milliwatts,": names of the C parameters, and their units as far as they have
};
extern const FunctionFacts function_facts[kFunctionCount];

// Why this function answers this code.
struct Reason {
  std::uint16_t function;
  abi::nvmlReturn_t code;
  const char* text;
};
extern const Reason reasons[];
extern const std::size_t reason_count;

// What to do where a code is answered.
struct Remedy {
  abi::nvmlReturn_t code;
  const char* text;
};
extern const Remedy remedies[];
extern const std::size_t remedy_count;

// How the allowed range of an argument can be learnt.
enum class RangeBy : std::uint8_t {
  limits,         // asks(device, unsigned* least, unsigned* most)
  offset_limits,  // asks(device, int* least, int* most)
  count,          // asks(device, unsigned* count): less than that
  count_of_all,   // asks(unsigned* count): likewise
  field_count,    // the field `asks` of the device: likewise
  listed,         // asks(...) lists them
};
struct Range {
  std::uint16_t function;
  std::uint8_t argument;  // its place among the parameters
  RangeBy by;
  std::uint16_t asks;  // this function, or this field
};
extern const Range ranges[];
extern const std::size_t range_count;

// Fields or metrics from one id to another, that drivers before this one do not know.
struct YoungIds {
  std::uint16_t first;
  std::uint16_t last;
  std::uint32_t driver;  // as FunctionFacts has it
};
// By id.
extern const YoungIds young_fields[];
extern const std::size_t young_field_count;
extern const YoungIds young_metrics[];
extern const std::size_t young_metric_count;

// The first driver that knows a field or a metric; 0 where no known driver lacks it.
std::uint32_t first_driver(const FailedItem& item) noexcept;

}  // namespace nvml::inline v1::detail
