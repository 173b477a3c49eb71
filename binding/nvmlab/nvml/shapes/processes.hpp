// SPDX-License-Identifier: Apache-2.0
// The newest lists of running processes. For some weeks of driver 535 their entries were wider, under the same name.
// Covered by tests/binding/processes_test.cpp and tests/binding/drivers_test.cpp.
#pragma once

#include "nvmlab/abi/generated/historic.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"

namespace nvml::inline v1::detail {

using Process = abi::nvmlProcessInfo_v2_t;
using WideProcess = abi::historic::nvmlProcessInfo_t_before_12_2_140;

// Do entries have the member for protected memory (535.43 to 535.86)? No version says so, but a function that came with
// it and one that came after it do.
inline bool has_wide_processes(const Functions& functions) noexcept {
  return functions.nvmlDeviceGetConfComputeMemSizeInfo != nullptr &&
         functions.nvmlDeviceGetRunningProcessDetailList == nullptr;
}

// As list().
template <class T, class F, class Ask>
Result<std::vector<T>> processes(const Shared& library, F* Functions::*slot, const ListRule& rule, Ask&& ask) {
  if (has_wide_processes(library->functions)) return list<T, WideProcess>(library, slot, rule, ask);
  return list<T, Process>(library, slot, rule, ask);
}

// As list_into().
template <class T, class F, class Ask>
Result<std::span<T>> processes_into(const Shared& library, F* Functions::*slot, const ListRule& rule, std::span<T> room,
                                    Ask&& ask) {
  if (has_wide_processes(library->functions)) return list_into<T, WideProcess>(library, slot, rule, room, ask);
  return list_into<T, Process>(library, slot, rule, room, ask);
}

}  // namespace nvml::inline v1::detail
