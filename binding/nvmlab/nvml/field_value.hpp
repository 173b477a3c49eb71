// SPDX-License-Identifier: Apache-2.0
// Fields: many small things about a device, asked for together. Each has an answer of its own. NVIDIA has numbered
// some fields differently over time; a FieldId means the same with every driver, and the number that the driver at
// hand uses for it is found here. Covered by tests/binding/field_values_test.cpp.
#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/value.hpp"

namespace nvml {

enum class FieldId : unsigned;  // nvml/generated/field_id.hpp

// A field, and which one of several: an NVLink's number, a power scope, as the field has it.
struct Field {
  constexpr Field() = default;
  constexpr Field(FieldId which, unsigned of = 0) noexcept  // NOLINT(google-explicit-constructor): lists of ids
      : id(which), scope(of) {}

  FieldId id{};
  unsigned scope = 0;
  bool operator==(const Field&) const = default;
};

// What came of one field.
struct FieldValue {
  Field field;
  Result<Value> value;
  std::chrono::sys_time<std::chrono::microseconds> timestamp{};  // of the measurement
  std::chrono::microseconds latency{};                           // that it took to read
};

namespace detail {

// `room` has an element for each field.

// C: nvmlDeviceGetFieldValues
Result<std::vector<FieldValue>> read_fields(const State& state, abi::nvmlDevice_t device,
                                            std::span<const Field> fields);

// C: nvmlDeviceGetFieldValues. Into the caller's memory; nothing is allocated.
Result<void> read_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                         std::span<FieldValue> room);

// C: nvmlDeviceGetFieldValues. One field, with its own error in the place of the call's.
Result<Value> read_field(const State& state, abi::nvmlDevice_t device, Field field);

// C: nvmlDeviceClearFieldValues
Result<std::vector<Result<void>>> clear_fields(const State& state, abi::nvmlDevice_t device,
                                               std::span<const Field> fields);

// C: nvmlDeviceClearFieldValues. Into the caller's memory; nothing is allocated.
Result<void> clear_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields,
                          std::span<Result<void>> room);

}  // namespace detail

}  // namespace nvml
