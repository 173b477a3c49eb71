// SPDX-License-Identifier: Apache-2.0
//
// Running processes in the layouts that the API went through. Protocol A: too small a buffer gets the count that
// is needed, and (0, null) asks for it.
#include "drivers/nvml/hooks/processes.hpp"

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/machine/system.hpp"

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
  info->usedGpuCcProtectedMemory = ~0ull;
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

// Protocol F: null asks for the count, and no sample at all is NOT_FOUND.
nvmlReturn_t nvmlDeviceGetProcessUtilization(const Device& gpu, nvmlProcessUtilizationSample_t* utilization,
                                             unsigned int* processSamplesCount, unsigned long long lastSeenTimeStamp) {
  const Processes processes = fetch(gpu, &Gpu::processes);
  const std::uint32_t count = processes.running.size();
  if (count == 0) {
    *processSamplesCount = 0;
    return NVML_ERROR_NOT_FOUND;
  }
  const std::uint32_t offered = utilization == nullptr ? 0 : *processSamplesCount;
  *processSamplesCount = count;
  if (offered < count) return NVML_ERROR_INSUFFICIENT_SIZE;
  const std::uint64_t now_us = sys::realtime_ns() / 1000;
  if (now_us <= lastSeenTimeStamp) return NVML_ERROR_NOT_FOUND;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Running& process = processes.running[i];
    utilization[i] = {process.pid.value,
                      now_us,
                      process.sm_percent.value_or(0),
                      process.memory_percent.value_or(0),
                      process.encoder_percent.value_or(0),
                      process.decoder_percent.value_or(0)};
  }
  return NVML_SUCCESS;
}

// Accounting starts empty: no process has ended yet. A query (0, null) gets INSUFFICIENT_SIZE however many there are.
nvmlReturn_t nvmlDeviceGetAccountingPids(const Device& gpu, unsigned int* count, unsigned int* pids) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::modes, &Modes::accounting);
  if (!mode.known()) return code_of(mode.code());
  const bool query = pids == nullptr && *count == 0;
  *count = 0;
  return query ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAccountingStats(const Device& gpu, unsigned int, nvmlAccountingStats_t*) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::modes, &Modes::accounting);
  return mode.known() ? NVML_ERROR_NOT_FOUND : code_of(mode.code());
}

nvmlReturn_t nvmlDeviceClearAccountingPids(const Device& gpu) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::modes, &Modes::accounting);
  if (!mode.known()) return code_of(mode.code());
  return may_administrate() ? NVML_SUCCESS : NVML_ERROR_NO_PERMISSION;
}

}  // namespace hooks
}  // namespace nvmlab::driver
