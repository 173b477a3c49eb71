// SPDX-License-Identifier: Apache-2.0
// Objects that the driver creates by a request of their own. Covered by tests/binding/hand_methods_test.cpp.
#pragma once

#include "nvmlab/loader/error.hpp"
#include "nvmlab/loader/state.hpp"
#include "nvmlab/nvml/forward.hpp"

namespace nvml::inline v1::detail {

// C: nvmlSystemEventSetCreate
Result<SystemEventSet> new_system_event_set(const Shared& library);

}  // namespace nvml::inline v1::detail
