// SPDX-License-Identifier: Apache-2.0
//
// Frame buffer limits of control groups. A group is known by its path, which has to exist on this machine; it has no
// limit until one is set. Tests: tests/drivers/functions/board_settings_test.cpp.
#include <fcntl.h>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {
namespace {

using Limit = Memory::Limit;

bool exists(const char* path) {
  const int fd = sys::open_file(path, O_PATH | O_NOFOLLOW, 0);
  if (fd < 0) return false;
  sys::close_file(fd);
  return true;
}

// The position of the group's limit, or the length of the list.
std::uint32_t position_of(const decltype(Memory::limits)& limits, const char* path) {
  std::uint32_t at = 0;
  while (at < limits.size() && std::strcmp(limits.items[at].cgroup.data, path) != 0)
    ++at;
  return at;
}

nvmlReturn_t check(const Memory& memory, const char* path) {
  if (!memory.limits_supported.has_value()) return code_of(memory.limits_supported.code());
  if (memory.limits_supported.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (path == nullptr || path[0] == '\0') return NVML_ERROR_INVALID_ARGUMENT;
  if (std::strlen(path) >= decltype(Limit::cgroup)::capacity || !exists(path)) return NVML_ERROR_OPERATING_SYSTEM;
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetMemoryLimits_v1(const Device& gpu, nvmlGetMemoryLimits_v1_t* limits) {
  const Memory memory = fetch(gpu, &Gpu::memory);
  if (const nvmlReturn_t code = check(memory, limits->nameSpace); code != NVML_SUCCESS) return code;
  const std::uint32_t at = position_of(memory.limits, limits->nameSpace);
  if (at == memory.limits.size()) return NVML_ERROR_NOT_FOUND;
  const Limit& limit = memory.limits.items[at];
  limits->softLimit = limit.soft_bytes.value;
  limits->hardLimit = limit.hard_bytes.value;
  limits->currentUsed = limit.used_bytes.value_or(0);
  return NVML_SUCCESS;
}

// No soft limit and the highest hard one take the group's limit away.
nvmlReturn_t nvmlDeviceSetMemoryLimits_v1(const Device& gpu, nvmlSetMemoryLimits_v1_t* limits) {
  const Memory memory = fetch(gpu, &Gpu::memory);
  if (const nvmlReturn_t code = check(memory, limits->nameSpace); code != NVML_SUCCESS) return code;
  const bool clear = limits->softLimit == 0 && limits->hardLimit == DEVICE_MEMORY_LIMIT_MAX;
  const std::uint64_t total = memory.total_bytes.value_or(0);
  const bool beyond =
      limits->softLimit > total || (limits->hardLimit > total && limits->hardLimit != DEVICE_MEMORY_LIMIT_MAX);
  if (beyond || limits->softLimit > limits->hardLimit) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    auto& list = state.memory.limits;
    const std::uint32_t at = position_of(list, limits->nameSpace);
    if (clear) {
      if (at == list.size()) return NVML_SUCCESS;
      list[at] = list[list.size() - 1];
      list[list.size() - 1] = {};
      --list.count;
      return NVML_SUCCESS;
    }
    if (at == list.capacity) return NVML_ERROR_INSUFFICIENT_RESOURCES;
    if (at == list.size()) {
      list[at] = {};
      list[at].cgroup.set(limits->nameSpace, static_cast<std::uint32_t>(std::strlen(limits->nameSpace)));
      list[at].used_bytes.set(0);
      ++list.count;
    }
    list[at].soft_bytes.set(limits->softLimit);
    list[at].hard_bytes.set(limits->hardLimit);
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
