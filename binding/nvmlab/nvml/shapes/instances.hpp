// SPDX-License-Identifier: Apache-2.0
// How many instances of a MIG profile there can be: the lists of instances have no way to ask. Covered by
// tests/binding/lists_test.cpp.
#pragma once

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// By a profile's id, which is not the number by which its description is asked for. More than any board has, if the
// library does not describe it.
unsigned most_instances(const State& state, abi::nvmlDevice_t device, unsigned profile) noexcept;
unsigned most_instances(const State& state, abi::nvmlGpuInstance_t instance, unsigned profile) noexcept;

}  // namespace nvml::inline v1::detail
