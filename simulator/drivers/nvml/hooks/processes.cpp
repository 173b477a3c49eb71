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
  Detail* const to = plist->procArray;
  return list<Protocol::a_or_null>(
      gpu, conditions(), whole(field<&Gpu::processes, &Processes::running>),
      WithBits{field<&Running::kinds>, kinds[plist->mode]}, NVML_SUCCESS, &plist->numProcArrayEntries,
      row_member<&Detail::pid, &Running::pid>(to),
      row_member<&Detail::usedGpuMemory>(to, or_else<~0ull>(field<&Running::used_bytes>)),
      row_member<&Detail::gpuInstanceId>(to, or_else<~0u>(field<&Running::gpu_instance>)),
      row_member<&Detail::computeInstanceId>(to, or_else<~0u>(field<&Running::compute_instance>)),
      row_member<&Detail::usedGpuCcProtectedMemory>(to, or_else<~0ull>(field<&Running::protected_bytes>)));
}

}  // namespace nvmlab::driver::hooks
