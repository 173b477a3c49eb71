// SPDX-License-Identifier: Apache-2.0
//
// Performance states: which there are, how far their clocks reach, and the two texts that nvidia-settings shows. All of
// it comes from one list of the profile. Tests: tests/drivers/functions/performance_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/topics/clocks/clock_rules.hpp"

namespace nvmlab::driver {
namespace {

using Pstate = Clocks::Pstate;

using Pstates = decltype(Clocks::pstates);

Pstates fetch_pstates(const Device& gpu) { return read_field(gpu.slot, &Gpu::clocks, &Clocks::pstates); }

// Writes "token=value" pairs into one of the fixed texts; what does not fit is cut, and the text always ends.
class Tokens {
 public:
  Tokens(char* to, std::size_t size) : to_(to), size_(size) { to_[0] = '\0'; }

  void text(const char* characters) {
    for (; *characters != '\0' && used_ + 1 < size_; ++characters)
      to_[used_++] = *characters;
    to_[used_] = '\0';
  }

  void pair(const char* name, std::uint32_t value) {
    if (!first_) text(", ");
    first_ = false;
    text(name);
    text("=");
    char digits[11];
    std::size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
      digits[--at] = static_cast<char>('0' + value % 10);
      value /= 10;
    } while (value > 0);
    text(digits + at);
  }

  void end_level() {
    text(" ; ");
    first_ = true;
  }

 private:
  char* to_;
  std::size_t size_;
  std::size_t used_ = 0;
  bool first_ = true;
};

std::uint32_t moved(std::uint32_t clock, const Fact<std::int32_t>& offset) {
  const std::int64_t sum = std::int64_t{clock} + offset.value_or(0);
  return sum > 0 ? static_cast<std::uint32_t>(sum) : 0;
}

// Clocks of one performance state; `graphics` and `memory` are where they are. Memory transfers twice a clock.
void put_level(Tokens& out, const Pstate& state, std::uint32_t graphics, std::uint32_t memory) {
  const bool graphics_editable = state.graphics_offset_mhz.has_value();
  const bool memory_editable = state.memory_offset_mhz.has_value();
  out.pair("nvclock", graphics);
  out.pair("nvclockmin", moved(state.graphics_min_mhz.value, state.graphics_offset_mhz));
  out.pair("nvclockmax", moved(state.graphics_max_mhz.value, state.graphics_offset_mhz));
  out.pair("nvclockeditable", graphics_editable ? 1 : 0);
  const std::uint32_t lowest = moved(state.memory_min_mhz.value, state.memory_offset_mhz);
  const std::uint32_t highest = moved(state.memory_max_mhz.value, state.memory_offset_mhz);
  out.pair("memclock", memory);
  out.pair("memclockmin", lowest);
  out.pair("memclockmax", highest);
  out.pair("memclockeditable", memory_editable ? 1 : 0);
  out.pair("memtransferrate", 2 * memory);
  out.pair("memtransferratemin", 2 * lowest);
  out.pair("memtransferratemax", 2 * highest);
  out.pair("memtransferrateeditable", memory_editable ? 1 : 0);
  out.end_level();
}

}  // namespace

namespace hooks {

// Level 0 is the slowest performance state. nvclock and memclock are the lowest clocks of their level, as of old.
nvmlReturn_t nvmlDeviceGetPerformanceModes(const Device& gpu, nvmlDevicePerfModes_t* perfModes) {
  const Pstates states = fetch_pstates(gpu);
  if (states.size() == 0) return NVML_ERROR_NOT_SUPPORTED;
  Tokens out(perfModes->str, sizeof perfModes->str);
  for (std::uint32_t level = 0; level < states.size(); ++level) {
    const Pstate& state = states.items[states.size() - 1 - level];
    out.pair("perf", level);
    put_level(out, state, moved(state.graphics_min_mhz.value, state.graphics_offset_mhz),
              moved(state.memory_min_mhz.value, state.memory_offset_mhz));
  }
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetCurrentClockFreqs(const Device& gpu, nvmlDeviceCurrentClockFreqs_t* currentClockFreqs) {
  const auto [number, graphics, memory] =
      fetch(gpu, &Gpu::clocks, &Clocks::performance_state, &Clocks::graphics_mhz, &Clocks::memory_mhz);
  Pstate state{};
  if (!graphics.has_value() ||
      !find_item(gpu.slot, &Gpu::clocks, &Clocks::pstates, &Pstate::number, number.value, &state))
    return NVML_ERROR_NOT_SUPPORTED;
  Tokens out(currentClockFreqs->str, sizeof currentClockFreqs->str);
  put_level(out, state, graphics.value, memory.value_or(0));
  return NVML_SUCCESS;
}

// Busy shares of four domains. The bus is as busy as its busier direction; no board tells at which share it changes its
// performance state, so the thresholds are zero.
nvmlReturn_t nvmlDeviceGetDynamicPstatesInfo(const Device& gpu, nvmlGpuDynamicPstatesInfo_t* pDynamicPstatesInfo) {
  const auto [chip, memory, encoder, decoder] =
      fetch(gpu, &Gpu::utilization, &Utilization::gpu_percent, &Utilization::memory_percent,
            &Utilization::encoder_percent, &Utilization::decoder_percent);
  if (!chip.has_value()) return code_of(chip.code());
  const Pci pci = fetch(gpu, &Gpu::pci);
  std::memset(pDynamicPstatesInfo, 0, sizeof *pDynamicPstatesInfo);
  const auto put = [&](nvmlGpuUtilizationDomainId_t domain, const Fact<std::uint32_t>& percent) {
    auto& out = pDynamicPstatesInfo->utilization[domain];
    out.bIsPresent = percent.has_value() ? 1 : 0;
    out.percentage = percent.value_or(0);
  };
  put(NVML_GPU_UTILIZATION_DOMAIN_GPU, chip);
  put(NVML_GPU_UTILIZATION_DOMAIN_FB, memory);
  put(NVML_GPU_UTILIZATION_DOMAIN_VID, encoder.value_or(0) > decoder.value_or(0) ? encoder : decoder);
  // Megabits a second and lane, so many kilobytes a second in all.
  const std::uint64_t capacity =
      std::uint64_t{pci.link_speed_mbps.value_or(0)} * pci.link_width_current.value_or(0) * 1000 / 8;
  Fact<std::uint32_t> bus{};
  if (capacity > 0 && pci.tx_kbps.has_value() && pci.rx_kbps.has_value()) {
    const std::uint64_t traffic = pci.tx_kbps.value > pci.rx_kbps.value ? pci.tx_kbps.value : pci.rx_kbps.value;
    const std::uint64_t percent = traffic * 100 / capacity;
    bus.set(percent < 100 ? static_cast<std::uint32_t>(percent) : 100);
  }
  put(NVML_GPU_UTILIZATION_DOMAIN_BUS, bus);
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
