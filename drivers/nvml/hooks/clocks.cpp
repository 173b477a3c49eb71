// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/shapes/write.hpp"
#include "engine/topics/clocks/clock_rules.hpp"

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

// A pair of clocks, or of symbols that stand for a clock; the two kinds do not mix.
struct Range {
  std::uint32_t low;
  std::uint32_t high;
  bool locked;  // false: the pair means no lock at all
};

bool read_range(const Clocks& clocks, std::uint32_t low, std::uint32_t high, Range* range) {
  const bool low_symbol = low > NVML_CLOCK_LIMIT_ID_RANGE_START;
  const bool high_symbol = high > NVML_CLOCK_LIMIT_ID_RANGE_START;
  *range = {low, high, true};
  if (!low_symbol && !high_symbol) return low <= high;
  const auto known = [](std::uint32_t id) {
    return id == NVML_CLOCK_LIMIT_ID_TDP || id == NVML_CLOCK_LIMIT_ID_UNLIMITED;
  };
  if (!known(low) || !known(high)) return false;
  // The clock that the board holds under full load without leaving its power limit.
  const std::uint32_t tdp =
      clocks.base_graphics_mhz.has_value()
          ? clocks.base_graphics_mhz.value
          : clocks.default_application_graphics_mhz.value_or(clocks.max_graphics_mhz.value_or(~0u));
  range->low = low == NVML_CLOCK_LIMIT_ID_TDP ? tdp : 0;
  range->high = high == NVML_CLOCK_LIMIT_ID_TDP ? tdp : clocks.max_graphics_mhz.value_or(~0u);
  range->locked = low == NVML_CLOCK_LIMIT_ID_TDP || high == NVML_CLOCK_LIMIT_ID_TDP;
  return true;
}

// A range that no clock of the board can be in is none.
bool reachable(const Range& range, const Fact<std::uint32_t>& highest) {
  return range.high > 0 && range.low <= highest.value_or(~0u);
}

// What root may open to everybody: the restriction is lifted where its field says so.
bool may_use(const Device& gpu, Fact<std::uint32_t> Modes::*restriction) {
  return may_administrate() || read_field(gpu.slot, &Gpu::modes, restriction).value_or(NVML_FEATURE_ENABLED) == 0;
}

// Volta and later can hold their clocks within a range; Ampere and later their memory clocks too.
constexpr std::uint32_t kVolta = 5;
constexpr std::uint32_t kAmpere = 7;

bool at_least(const Device& gpu, std::uint32_t architecture) {
  const Fact<std::uint32_t> own = read_field(gpu.slot, &Gpu::identity, &Identity::architecture);
  return own.has_value() && own.value >= architecture && own.value != ~0u;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetApplicationsClocks(const Device& gpu, unsigned int memClockMHz,
                                             unsigned int graphicsClockMHz) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::clocks, &Clocks::application_graphics_mhz);
  if (!now.has_value()) return code_of(now.code());
  MemoryClock clock;
  if (!graphics_clocks(gpu.slot, memClockMHz, &clock)) return NVML_ERROR_INVALID_ARGUMENT;
  bool found = false;
  for (const std::uint16_t each : clock.graphics_mhz)
    found = found || each == graphicsClockMHz;
  if (!found) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_use(gpu, &Modes::api_restriction_application_clocks)) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    state.clocks.application_memory_mhz.set(memClockMHz);
    state.clocks.application_graphics_mhz.set(graphicsClockMHz);
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceResetApplicationsClocks(const Device& gpu) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::clocks, &Clocks::application_graphics_mhz);
  if (!now.has_value()) return code_of(now.code());
  if (!may_use(gpu, &Modes::api_restriction_application_clocks)) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [](Gpu& state) {
    state.clocks.application_graphics_mhz = state.clocks.default_application_graphics_mhz;
    state.clocks.application_memory_mhz = state.clocks.default_application_memory_mhz;
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetAutoBoostedClocksEnabled(const Device& gpu, nvmlEnableState_t enabled) {
  const Fact<std::uint32_t> now = read_field(gpu.slot, &Gpu::clocks, &Clocks::auto_boost);
  if (!now.has_value()) return code_of(now.code());
  if (enabled != NVML_FEATURE_DISABLED && enabled != NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_use(gpu, &Modes::api_restriction_auto_boost)) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [enabled](Gpu& state) {
    state.clocks.auto_boost.set(static_cast<std::uint32_t>(enabled));
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetGpuLockedClocks(const Device& gpu, unsigned int minGpuClockMHz, unsigned int maxGpuClockMHz) {
  if (!at_least(gpu, kVolta)) return NVML_ERROR_NOT_SUPPORTED;
  const Clocks clocks = fetch(gpu, &Gpu::clocks);
  Range range{};
  if (!read_range(clocks, minGpuClockMHz, maxGpuClockMHz, &range) || !reachable(range, clocks.max_graphics_mhz))
    return NVML_ERROR_INVALID_ARGUMENT;
  if (!range.locked) return nvmlDeviceResetGpuLockedClocks(gpu);
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    state.clocks.locked_graphics_min_mhz.set(range.low);
    state.clocks.locked_graphics_max_mhz.set(range.high);
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceResetGpuLockedClocks(const Device& gpu) {
  if (!at_least(gpu, kVolta)) return NVML_ERROR_NOT_SUPPORTED;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [](Gpu& state) {
    state.clocks.locked_graphics_min_mhz.set_error(kNotSupported);
    state.clocks.locked_graphics_max_mhz.set_error(kNotSupported);
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceSetMemoryLockedClocks(const Device& gpu, unsigned int minMemClockMHz,
                                             unsigned int maxMemClockMHz) {
  if (!at_least(gpu, kAmpere)) return NVML_ERROR_NOT_SUPPORTED;
  const Range range{minMemClockMHz, maxMemClockMHz, true};
  const Fact<std::uint32_t> highest = read_field(gpu.slot, &Gpu::clocks, &Clocks::max_memory_mhz);
  if (range.low > range.high || !reachable(range, highest)) return NVML_ERROR_INVALID_ARGUMENT;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [&](Gpu& state) {
    state.clocks.locked_memory_min_mhz.set(range.low);
    state.clocks.locked_memory_max_mhz.set(range.high);
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

nvmlReturn_t nvmlDeviceResetMemoryLockedClocks(const Device& gpu) {
  if (!at_least(gpu, kAmpere)) return NVML_ERROR_NOT_SUPPORTED;
  if (!may_administrate()) return NVML_ERROR_NO_PERMISSION;
  return change(gpu, [](Gpu& state) {
    state.clocks.locked_memory_min_mhz.set_error(kNotSupported);
    state.clocks.locked_memory_max_mhz.set_error(kNotSupported);
    settle_clocks(state.clocks);
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
