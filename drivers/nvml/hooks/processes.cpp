// SPDX-License-Identifier: Apache-2.0
//
// Running processes in the layouts that the API went through. Protocol A: too small a buffer gets the count that
// is needed, and (0, null) asks for it. Tests: tests/drivers/functions/protocols_test.cpp.
#include "drivers/nvml/hooks/processes.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

using Running = Processes::Process;

constexpr std::uint32_t kNoInstance = 0xFFFFFFFF;

void fill(const Running& process, nvmlProcessInfo_v1_t* info) {
  info->pid = process.pid.value;
  info->usedGpuMemory = process.used_bytes.value_or(~0ull);
}

template <class Info>
void fill(const Running& process, Info* info) {
  info->pid = process.pid.value;
  info->usedGpuMemory = process.used_bytes.value_or(~0ull);
  info->gpuInstanceId = process.gpu_instance.value_or(kNoInstance);
  info->computeInstanceId = process.compute_instance.value_or(kNoInstance);
}

// The layout of drivers 535.43 to 535.86; clients know it by the functions that those drivers export.
using WideInfo = historic::nvmlProcessInfo_t_before_12_2_140;

void fill(const Running& process, WideInfo* info) {
  fill<WideInfo>(process, info);
  info->usedGpuCcProtectedMemory = process.protected_bytes.value_or(~0ull);
}

void fill(const Running& process, nvmlProcessDetail_v1_t* info) {
  fill<nvmlProcessDetail_v1_t>(process, info);
  info->usedGpuCcProtectedMemory = process.protected_bytes.value_or(~0ull);
}

template <class Info>
nvmlReturn_t list(const Device& gpu, std::uint32_t kind, unsigned int* count, Info* infos) {
  const Processes processes = fetch(gpu, &Gpu::processes);
  const std::uint32_t offered = infos == nullptr ? 0 : *count;
  std::uint32_t found = 0;
  for (const Running& process : processes.running) {
    if ((process.kinds.value & kind) == 0) continue;
    if (found < offered) fill(process, &infos[found]);
    ++found;
  }
  *count = found;
  return found > offered ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

nvmlReturn_t list_v3(const Device& gpu, std::uint32_t kind, unsigned int* count, nvmlProcessInfo_t* infos) {
  return simulated_driver().wide_process_entries ? list(gpu, kind, count, reinterpret_cast<WideInfo*>(infos))
                                                 : list(gpu, kind, count, infos);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetComputeRunningProcesses(const Device& gpu, unsigned int* infoCount,
                                                  nvmlProcessInfo_v1_t* infos) {
  return list(gpu, kComputeProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v2(const Device& gpu, unsigned int* infoCount,
                                                     nvmlProcessInfo_v2_t* infos) {
  return list(gpu, kComputeProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetComputeRunningProcesses_v3(const Device& gpu, unsigned int* infoCount,
                                                     nvmlProcessInfo_t* infos) {
  return list_v3(gpu, kComputeProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses(const Device& gpu, unsigned int* infoCount,
                                                   nvmlProcessInfo_v1_t* infos) {
  return list(gpu, kGraphicsProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v2(const Device& gpu, unsigned int* infoCount,
                                                      nvmlProcessInfo_v2_t* infos) {
  return list(gpu, kGraphicsProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetGraphicsRunningProcesses_v3(const Device& gpu, unsigned int* infoCount,
                                                      nvmlProcessInfo_t* infos) {
  return list_v3(gpu, kGraphicsProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses(const Device& gpu, unsigned int* infoCount,
                                                     nvmlProcessInfo_v1_t* infos) {
  return list(gpu, kMpsProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v2(const Device& gpu, unsigned int* infoCount,
                                                        nvmlProcessInfo_v2_t* infos) {
  return list(gpu, kMpsProcess, infoCount, infos);
}
nvmlReturn_t nvmlDeviceGetMPSComputeRunningProcesses_v3(const Device& gpu, unsigned int* infoCount,
                                                        nvmlProcessInfo_t* infos) {
  return list_v3(gpu, kMpsProcess, infoCount, infos);
}

// Protocol A in a struct. The mode "all" has processes of any kind.
nvmlReturn_t nvmlDeviceGetRunningProcessDetailList(const Device& gpu, nvmlProcessDetailList_t* plist) {
  constexpr std::uint32_t kinds[] = {kComputeProcess, kGraphicsProcess, kMpsProcess, ~0u};
  static_assert(NVML_PROCESS_MODE_COMPUTE == 0 && NVML_PROCESS_MODE_ALL == 3);
  if (plist->mode > NVML_PROCESS_MODE_ALL) return NVML_ERROR_INVALID_ARGUMENT;
  return list(gpu, kinds[plist->mode], &plist->numProcArrayEntries, plist->procArray);
}

}  // namespace hooks
}  // namespace nvmlab::driver
