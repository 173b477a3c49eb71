// SPDX-License-Identifier: Apache-2.0
//
// Running processes of the kind that the caller names in a struct. The lists of one kind are verdicts of
// model/meaning/processes.yaml. Tests: tests/drivers/functions/protocols_test.cpp.
#include <cstddef>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/lists.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab::driver::hooks {

// The mode "all" has processes of any kind.
nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(const Device& gpu, nvmlProcessDetailList_t* plist) {
  using Running = Processes::Process;
  using Detail = nvmlProcessDetail_v1_t;
  constexpr std::uint32_t kinds[] = {kComputeProcess, kGraphicsProcess, kMpsProcess, ~0u};
  static_assert(NVML_PROCESS_MODE_COMPUTE == 0 && NVML_PROCESS_MODE_ALL == 3);
  if (plist->mode > NVML_PROCESS_MODE_ALL) return NVML_ERROR_INVALID_ARGUMENT;
  constexpr At<Fact<std::uint32_t>> pid{offsetof(Running, pid)};
  constexpr At<Fact<std::uint64_t>> used{offsetof(Running, used_bytes)};
  constexpr At<Fact<std::uint32_t>> gpu_instance{offsetof(Running, gpu_instance)};
  constexpr At<Fact<std::uint32_t>> compute_instance{offsetof(Running, compute_instance)};
  constexpr At<Fact<std::uint64_t>> secured{offsetof(Running, protected_bytes)};
  Detail* const to = plist->procArray;
  return list<Protocol::a_or_null>(
      gpu, conditions(), whole(At<decltype(Processes::running)>{offsetof(Gpu, processes.running)}),
      WithBits{{offsetof(Running, kinds)}, kinds[plist->mode]}, NVML_SUCCESS, &plist->numProcArrayEntries,
      [&](auto&& way) {
        return way(row_member(to, &Detail::pid, pid), row_member(to, &Detail::usedGpuMemory, or_else(used, ~0ull)),
                   row_member(to, &Detail::gpuInstanceId, or_else(gpu_instance, ~0u)),
                   row_member(to, &Detail::computeInstanceId, or_else(compute_instance, ~0u)),
                   row_member(to, &Detail::usedGpuCcProtectedMemory, or_else(secured, ~0ull)));
      });
}

}  // namespace nvmlab::driver::hooks
