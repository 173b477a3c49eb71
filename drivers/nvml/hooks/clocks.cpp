// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// A list by protocol A or B: too small a buffer gets the count that is needed.
template <class Item, std::uint32_t N>
nvmlReturn_t give_clocks(const List<Item, N>& list, unsigned int* count, unsigned int* clocks) {
  const std::uint32_t offered = *count;
  *count = list.size();
  if (offered < list.size()) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::uint32_t i = 0; i < list.size(); ++i)
    clocks[i] = list[i];
  return NVML_SUCCESS;
}

using MemoryClock = Clocks::MemoryClock;
using MemoryClocks = List<std::uint32_t, decltype(Clocks::supported)::capacity>;

MemoryClocks memory_clocks(const GpuSlot& slot) {
  return consistent(slot, [](const Gpu& gpu) {
    MemoryClocks clocks{};
    const std::uint32_t count = __atomic_load_n(&gpu.clocks.supported.count, __ATOMIC_ACQUIRE);
    clocks.count = count < MemoryClocks::capacity ? count : MemoryClocks::capacity;
    for (std::uint32_t i = 0; i < clocks.count; ++i)
      clocks[i] = load(gpu.clocks.supported.items[i].memory_mhz).value;
    return clocks;
  });
}

// The graphics clocks that go with a memory clock; false when the board does not run it.
bool graphics_clocks(const GpuSlot& slot, std::uint32_t memory_mhz, MemoryClock* out) {
  const MemoryClocks known = memory_clocks(slot);
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    if (known[i] != memory_mhz) continue;
    *out = consistent(slot, [i](const Gpu& gpu) { return load(gpu.clocks.supported.items[i]); });
    return true;
  }
  return false;
}

nvmlReturn_t lock_range(const Device& gpu, std::uint32_t low, std::uint32_t high,
                        Fact<std::uint32_t> Clocks::*low_field, Fact<std::uint32_t> Clocks::*high_field) {
  if (low > high) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    (state.clocks.*low_field).set(low);
    (state.clocks.*high_field).set(high);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t unlock_range(const Device& gpu, Fact<std::uint32_t> Clocks::*low_field,
                          Fact<std::uint32_t> Clocks::*high_field) {
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    (state.clocks.*low_field).refuse(kNotSupported);
    (state.clocks.*high_field).refuse(kNotSupported);
    return NVML_SUCCESS;
  });
}

// Volta and later can hold their clocks within a range; Ampere and later their memory clocks too.
constexpr std::uint32_t kVolta = 5;
constexpr std::uint32_t kAmpere = 7;

bool at_least(const Device& gpu, std::uint32_t architecture) {
  const Fact<std::uint32_t> own = read_field(gpu.slot, &Gpu::identity, &Identity::architecture);
  return own.known() && own.value >= architecture && own.value != ~0u;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetClock(const Device& gpu, nvmlClockType_t clockType, nvmlClockId_t clockId,
                                unsigned int* clockMHz) {
  using Field = Fact<std::uint32_t> Clocks::*;
  constexpr Field none = nullptr;
  // Rows: current, application target, application default, customer boost. Columns: graphics, SM, memory, video.
  constexpr Field fields[4][4] = {
      {&Clocks::graphics_mhz, &Clocks::sm_mhz, &Clocks::memory_mhz, &Clocks::video_mhz},
      {&Clocks::application_graphics_mhz, &Clocks::application_graphics_mhz, &Clocks::application_memory_mhz, none},
      {&Clocks::default_application_graphics_mhz, &Clocks::default_application_graphics_mhz,
       &Clocks::default_application_memory_mhz, none},
      {&Clocks::max_customer_boost_graphics_mhz, &Clocks::max_customer_boost_graphics_mhz,
       &Clocks::max_customer_boost_memory_mhz, none}};
  static_assert(NVML_CLOCK_ID_CURRENT == 0 && NVML_CLOCK_ID_CUSTOMER_BOOST_MAX == 3 && NVML_CLOCK_VIDEO == 3);
  const auto id = static_cast<unsigned int>(clockId);
  const auto type = static_cast<unsigned int>(clockType);
  if (id > 3 || type > 3) return NVML_ERROR_INVALID_ARGUMENT;
  const Field field = fields[id][type];
  return field == none ? NVML_ERROR_NOT_SUPPORTED : give(read_field(gpu.slot, &Gpu::clocks, field), clockMHz);
}

nvmlReturn_t nvmlDeviceGetSupportedMemoryClocks(const Device& gpu, unsigned int* count, unsigned int* clocksMHz) {
  const MemoryClocks clocks = memory_clocks(gpu.slot);
  if (clocks.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  if (clocksMHz == nullptr && *count >= clocks.size()) return NVML_ERROR_INVALID_ARGUMENT;
  return give_clocks(clocks, count, clocksMHz);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(const Device& gpu, unsigned int memoryClockMHz, unsigned int* count,
                                                  unsigned int* clocksMHz) {
  if (memory_clocks(gpu.slot).size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  MemoryClock clock;
  if (!graphics_clocks(gpu.slot, memoryClockMHz, &clock)) return NVML_ERROR_NOT_FOUND;
  if (clocksMHz == nullptr && *count >= clock.graphics_mhz.size()) return NVML_ERROR_INVALID_ARGUMENT;
  return give_clocks(clock.graphics_mhz, count, clocksMHz);
}

nvmlReturn_t nvmlDeviceGetViolationStatus(const Device& gpu, nvmlPerfPolicyType_t perfPolicyType,
                                          nvmlViolationTime_t* violTime) {
  const Clocks clocks = fetch(gpu, &Gpu::clocks);
  Fact<std::uint64_t> held_us{};
  switch (perfPolicyType) {
    case NVML_PERF_POLICY_POWER:
      held_us = clocks.sw_power_cap_us;
      break;
    case NVML_PERF_POLICY_THERMAL:
      held_us = clocks.sw_thermal_slowdown_us;
      break;
    case NVML_PERF_POLICY_SYNC_BOOST:
      held_us = clocks.sync_boost_us;
      break;
    case NVML_PERF_POLICY_BOARD_LIMIT:
    case NVML_PERF_POLICY_LOW_UTILIZATION:
    case NVML_PERF_POLICY_RELIABILITY:
    case NVML_PERF_POLICY_TOTAL_APP_CLOCKS:
    case NVML_PERF_POLICY_TOTAL_BASE_CLOCKS:
      return NVML_ERROR_NOT_SUPPORTED;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
  if (!held_us.known()) return code_of(held_us.code());
  violTime->referenceTime = sys::realtime_ns() / 1000;
  violTime->violationTime = held_us.value * 1000;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetApplicationsClocks(const Device& gpu, unsigned int memClockMHz,
                                             unsigned int graphicsClockMHz) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::clocks, &Clocks::application_graphics_mhz);
  if (!now.known()) return code_of(now.code());
  MemoryClock clock;
  if (!graphics_clocks(gpu.slot, memClockMHz, &clock)) return NVML_ERROR_INVALID_ARGUMENT;
  bool found = false;
  for (const std::uint16_t each : clock.graphics_mhz)
    found = found || each == graphicsClockMHz;
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    state.clocks.application_memory_mhz.set(memClockMHz);
    state.clocks.application_graphics_mhz.set(graphicsClockMHz);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(const Device& gpu) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::clocks, &Clocks::application_graphics_mhz);
  if (!now.known()) return code_of(now.code());
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [](Gpu& state) {
    state.clocks.application_graphics_mhz = state.clocks.default_application_graphics_mhz;
    state.clocks.application_memory_mhz = state.clocks.default_application_memory_mhz;
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(const Device& gpu, unsigned int minGpuClockMHz, unsigned int maxGpuClockMHz) {
  if (!at_least(gpu, kVolta)) return NVML_ERROR_NOT_SUPPORTED;
  return lock_range(gpu, minGpuClockMHz, maxGpuClockMHz, &Clocks::locked_graphics_min_mhz,
                    &Clocks::locked_graphics_max_mhz);
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(const Device& gpu) {
  if (!at_least(gpu, kVolta)) return NVML_ERROR_NOT_SUPPORTED;
  return unlock_range(gpu, &Clocks::locked_graphics_min_mhz, &Clocks::locked_graphics_max_mhz);
}

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(const Device& gpu, unsigned int minMemClockMHz,
                                             unsigned int maxMemClockMHz) {
  if (!at_least(gpu, kAmpere)) return NVML_ERROR_NOT_SUPPORTED;
  return lock_range(gpu, minMemClockMHz, maxMemClockMHz, &Clocks::locked_memory_min_mhz,
                    &Clocks::locked_memory_max_mhz);
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(const Device& gpu) {
  if (!at_least(gpu, kAmpere)) return NVML_ERROR_NOT_SUPPORTED;
  return unlock_range(gpu, &Clocks::locked_memory_min_mhz, &Clocks::locked_memory_max_mhz);
}

}  // namespace hooks
}  // namespace nvmlab::driver
