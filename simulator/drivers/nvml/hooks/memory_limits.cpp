// SPDX-License-Identifier: Apache-2.0
//
// Frame buffer limits of control groups. A group is known by its path, which has to exist on this machine; it has no
// limit until one is set. Tests: tests/drivers/functions/board_settings_test.cpp.
#include <fcntl.h>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

using Limit = Memory::Limit;

bool exists(const char* path) {
  const int fd = sys::open_file(path, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0) return false;
  sys::close_file(fd);
  return true;
}

nvmlReturn_t check(const Memory& memory, const char* path) {
  if (const Code code = check_memory_limits(memory); code != kSuccess) return code_of(code);
  if (path == nullptr || path[0] == '\0') return NVML_ERROR_INVALID_ARGUMENT;
  if (std::strlen(path) >= decltype(Limit::cgroup)::capacity || !exists(path)) return NVML_ERROR_OPERATING_SYSTEM;
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetMemoryLimits_v1(const Device& gpu, nvmlGetMemoryLimits_v1_t* limits) {
  Memory memory{};
  fetch_into(gpu, &Gpu::memory, memory);
  if (const nvmlReturn_t code = check(memory, limits->nameSpace); code != NVML_SUCCESS) return code;
  const std::uint32_t at = position_of_limit(memory, limits->nameSpace);
  if (at == memory.limits.size()) return NVML_ERROR_NOT_FOUND;
  const Limit& limit = memory.limits.items[at];
  limits->softLimit = limit.soft_bytes.value;
  limits->hardLimit = limit.hard_bytes.value;
  limits->currentUsed = limit.used_bytes.value_or(0);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetMemoryLimits_v1(const Device& gpu, nvmlSetMemoryLimits_v1_t* limits) {
  Memory memory{};
  fetch_into(gpu, &Gpu::memory, memory);
  if (const nvmlReturn_t code = check(memory, limits->nameSpace); code != NVML_SUCCESS) return code;
  SetMemoryLimit change{limits->softLimit, limits->hardLimit, {}};
  std::memcpy(change.cgroup, limits->nameSpace, std::strlen(limits->nameSpace));
  return apply(gpu, change);
}

}  // namespace hooks
}  // namespace nvmlab::driver
