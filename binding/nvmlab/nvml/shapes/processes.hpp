// SPDX-License-Identifier: Apache-2.0
// The newest lists of running processes. For some weeks of driver 535 their entries were wider, under the same name.
// Covered by tests/binding/processes_test.cpp and tests/binding/drivers_test.cpp.
#pragma once

#include <cstring>

#include "nvmlab/abi/generated/conversions.hpp"
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

// As list_into(). Wide entries are written to the same memory, so there is room for fewer, and made narrow there.
template <class F, class Ask>
Result<std::span<Process>> processes_into(const State& state, F* Functions::*slot, const ListRule& rule,
                                          std::span<Process> room, Ask&& ask) {
  if (!has_wide_processes(state.functions)) return list_into<Process>(state, slot, rule, room, ask);
  static_assert(sizeof(WideProcess) > sizeof(Process) && alignof(WideProcess) == alignof(Process));
  const std::span wide{reinterpret_cast<WideProcess*>(room.data()), room.size_bytes() / sizeof(WideProcess)};
  const auto filled = list_into<WideProcess>(state, slot, rule, wide, ask);
  if (!filled) return unexpected(filled.error());
  auto* const bytes = reinterpret_cast<std::byte*>(room.data());
  for (std::size_t i = 0; i < filled->size(); ++i) {
    WideProcess from;
    std::memcpy(&from, bytes + i * sizeof from, sizeof from);
    Process narrow{};
    carry(from, narrow);
    std::memcpy(bytes + i * sizeof narrow, &narrow, sizeof narrow);
  }
  return room.first(filled->size());
}

}  // namespace nvml::inline v1::detail
