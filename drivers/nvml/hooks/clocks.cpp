// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// A list by protocol A or B: too small a buffer gets the count that is needed.
template <class Item, std::uint32_t N>
nvmlReturn_t give_clocks(const List<Item, N>& list, unsigned int* count, unsigned int* clocks) {
  const std::uint32_t offered = *count;
  const std::uint32_t needed = list.size();
  if (clocks == nullptr && offered >= needed) return NVML_ERROR_INVALID_ARGUMENT;
  *count = needed;
  if (offered < needed) return NVML_ERROR_INSUFFICIENT_SIZE;
  for (std::uint32_t i = 0; i < needed; ++i)
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
  return give_clocks(clocks, count, clocksMHz);
}

nvmlReturn_t nvmlDeviceGetSupportedGraphicsClocks(const Device& gpu, unsigned int memoryClockMHz, unsigned int* count,
                                                  unsigned int* clocksMHz) {
  if (memory_clocks(gpu.slot).size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  MemoryClock clock;
  if (!graphics_clocks(gpu.slot, memoryClockMHz, &clock)) return NVML_ERROR_NOT_FOUND;
  return give_clocks(clock.graphics_mhz, count, clocksMHz);
}

nvmlReturn_t nvmlDeviceGetViolationStatus(const Device& gpu, nvmlPerfPolicyType_t perfPolicyType,
                                          nvmlViolationTime_t* violTime) {
  Fact<std::uint64_t> Clocks::*counter = nullptr;
  switch (perfPolicyType) {
    case NVML_PERF_POLICY_POWER:
      counter = &Clocks::sw_power_cap_us;
      break;
    case NVML_PERF_POLICY_THERMAL:
      counter = &Clocks::sw_thermal_slowdown_us;
      break;
    case NVML_PERF_POLICY_SYNC_BOOST:
      counter = &Clocks::sync_boost_us;
      break;
    case NVML_PERF_POLICY_BOARD_LIMIT:
      counter = &Clocks::board_limit_us;
      break;
    case NVML_PERF_POLICY_LOW_UTILIZATION:
      counter = &Clocks::low_utilization_us;
      break;
    case NVML_PERF_POLICY_RELIABILITY:
      counter = &Clocks::reliability_us;
      break;
    case NVML_PERF_POLICY_TOTAL_APP_CLOCKS:
      counter = &Clocks::below_application_clocks_us;
      break;
    case NVML_PERF_POLICY_TOTAL_BASE_CLOCKS:
      counter = &Clocks::below_base_clocks_us;
      break;
    default:
      return NVML_ERROR_INVALID_ARGUMENT;
  }
  const Fact<std::uint64_t> held_us = read_field(gpu.slot, &Gpu::clocks, counter);
  if (!held_us.has_value()) return code_of(held_us.code());
  violTime->referenceTime = sys::realtime_ns() / 1000;
  violTime->violationTime = held_us.value * 1000;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetApplicationsClocks(const Device& gpu, unsigned int memClockMHz,
                                             unsigned int graphicsClockMHz) {
  return apply(gpu, SetApplicationClocks{memClockMHz, graphicsClockMHz});
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(const Device& gpu) { return apply(gpu, ResetApplicationClocks{}); }

nvmlReturn_t nvmlDeviceSetAutoBoostedClocksEnabled(const Device& gpu, nvmlEnableState_t enabled) {
  return apply(gpu, SetAutoBoost{static_cast<std::uint32_t>(enabled)});
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(const Device& gpu, unsigned int minGpuClockMHz, unsigned int maxGpuClockMHz) {
  return apply(gpu, LockGraphicsClocks{minGpuClockMHz, maxGpuClockMHz});
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(const Device& gpu) { return apply(gpu, UnlockGraphicsClocks{}); }

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(const Device& gpu, unsigned int minMemClockMHz,
                                             unsigned int maxMemClockMHz) {
  return apply(gpu, LockMemoryClocks{minMemClockMHz, maxMemClockMHz});
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(const Device& gpu) { return apply(gpu, UnlockMemoryClocks{}); }

}  // namespace hooks
}  // namespace nvmlab::driver
