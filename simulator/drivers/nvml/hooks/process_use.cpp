// SPDX-License-Identifier: Apache-2.0
//
// What accounting keeps: processes that have ended, as the state remembers them, and those that run while it is on.
// Tests: tests/drivers/functions/accounting_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/accounting/accounting_changes.hpp"

namespace nvmlab::driver {
namespace {

// Whether accounting is on; if not, the code that says so.
std::uint32_t accounting_missing(const Device& gpu) { return check_accounting(fetch(gpu, &Gpu::modes)); }

// What accounting knows of one process.
struct Kept {
  std::uint32_t gpu_percent = 0;
  std::uint32_t memory_percent = 0;
  std::uint64_t peak_bytes = 0;
  std::uint64_t time_ms = 0;  // one that runs has used none yet, as accounting counts it
  std::uint64_t started_us = 0;
  bool running = false;
};

// False when accounting knows no such process. One that runs comes first: ids are used again.
bool find_accounted(const Device& gpu, std::uint32_t pid, Kept* out) {
  if (pid == 0) return false;
  Processes::Process process{};
  if (find_item(gpu.slot, &Gpu::processes, &Processes::running, &Processes::Process::pid, pid, &process)) {
    tell(process.sm_percent, gpu.slot);
    tell(process.memory_percent, gpu.slot);
    *out = {process.sm_percent.value_or(0),
            process.memory_percent.value_or(0),
            process.peak_bytes.value_or(process.used_bytes.value_or(~0ull)),
            0,
            process.started_us.value_or(0),
            true};
    return true;
  }
  Accounting::Process ended{};
  if (!find_item(gpu.slot, &Gpu::accounting, &Accounting::ended, &Accounting::Process::pid, pid, &ended)) return false;
  *out = {ended.gpu_percent.value_or(0), ended.memory_percent.value_or(0), ended.peak_bytes.value_or(~0ull),
          ended.time_ms.value_or(0),     ended.started_us.value_or(0),     false};
  return true;
}

// Ids of all that accounting knows, if there is room for them all; how many there are.
std::uint32_t give_accounted(const Gpu& gpu, std::uint32_t room, unsigned int* pids) {
  const std::uint32_t count = length_of(gpu.accounting.ended) + length_of(gpu.processes.running);
  if (count > room) return count;
  std::uint32_t given = 0;
  const auto give = [&](const auto& process) {
    if (given < count) pids[given++] = load(process.pid).value_or(0);
    return false;
  };
  visit_until(gpu.accounting.ended, give);
  visit_until(gpu.processes.running, give);
  return count;
}

}  // namespace

namespace hooks {

// A query (0, null) gets INSUFFICIENT_SIZE however many there are. Where accounting is off there are none: captures of
// drivers from 418 to 595 show an empty list then, and no error. Those that have ended come first, as in captures.
nvmlReturn_t nvmlDeviceGetAccountingPids(const Device& gpu, unsigned int* count, unsigned int* pids) {
  const Fact<std::uint32_t> mode = read_field(gpu.slot, &Gpu::modes, &Modes::accounting);
  if (!mode.has_value()) return code_of(mode.code());
  const std::uint32_t offered = *count;
  const std::uint32_t room = pids == nullptr ? 0 : offered;
  const std::uint32_t kept =
      mode.value == NVML_FEATURE_ENABLED
          ? consistent(gpu.slot, [=](const Gpu& state) { return give_accounted(state, room, pids); })
          : 0;
  *count = kept;
  if (offered < kept || (offered == 0 && pids == nullptr)) return NVML_ERROR_INSUFFICIENT_SIZE;
  return pids == nullptr && kept > 0 ? NVML_ERROR_INVALID_ARGUMENT : NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetAccountingStats(const Device& gpu, unsigned int pid, nvmlAccountingStats_t* stats) {
  if (const std::uint32_t code = accounting_missing(gpu); code != kSuccess) return code_of(code);
  Kept kept;
  if (!find_accounted(gpu, pid, &kept)) return NVML_ERROR_NOT_FOUND;
  *stats = {};
  stats->gpuUtilization = kept.gpu_percent;
  stats->memoryUtilization = kept.memory_percent;
  stats->maxMemoryUsage = kept.peak_bytes;
  stats->time = kept.time_ms;
  stats->startTime = kept.started_us;
  stats->isRunning = kept.running ? 1 : 0;
  return NVML_SUCCESS;
}

// One sample has been taken of a process whose use does not change.
nvmlReturn_t nvmlDeviceGetAccountingStats_v2(const Device& gpu, nvmlAccountingStats_v2_t* stats) {
  if (const std::uint32_t code = accounting_missing(gpu); code != kSuccess) return code_of(code);
  Kept kept;
  const std::uint32_t pid = stats->pid;
  if (!find_accounted(gpu, pid, &kept)) return NVML_ERROR_NOT_FOUND;
  constexpr std::uint32_t hundredths = 100;
  *stats = {};
  stats->pid = pid;
  stats->isRunning = kept.running ? 1 : 0;
  stats->gpuUtilization = kept.gpu_percent;
  stats->memoryUtilization = kept.memory_percent;
  stats->maxMemoryUsage = kept.peak_bytes;
  stats->sampleCount = 1;
  stats->sumGpuUtil = std::uint64_t{stats->gpuUtilization} * hundredths;
  stats->sumFbUtil = std::uint64_t{stats->memoryUtilization} * hundredths;
  stats->time = kept.time_ms;
  stats->startTime = kept.started_us;
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
