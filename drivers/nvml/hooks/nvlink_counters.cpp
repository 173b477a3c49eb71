// SPDX-License-Identifier: Apache-2.0
//
// Counters of one link: errors, and the two that Pascal and Volta could tell what to count. Later chips count
// throughput (NVML_FI_DEV_NVLINK_THROUGHPUT_*) and have none of the latter. Tests:
// tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

using Link = Nvlink::Link;
using Counter = Nvlink::Counter;

// The counter of a link, or why there is none.
nvmlReturn_t fetch_counter(const Device& gpu, std::uint32_t number, std::uint32_t which, Counter* counter) {
  Link link;
  if (const nvmlReturn_t code = fetch_link(gpu, number, &link); code != NVML_SUCCESS) return code;
  if (which >= decltype(Link::counters)::capacity) return NVML_ERROR_INVALID_ARGUMENT;
  if (which >= link.counters.size()) return NVML_ERROR_NOT_SUPPORTED;
  *counter = link.counters[which];
  return NVML_SUCCESS;
}

template <class Change>
nvmlReturn_t change_counter(const Device& gpu, std::uint32_t number, std::uint32_t which, const Change& apply) {
  Counter now;
  if (const nvmlReturn_t code = fetch_counter(gpu, number, which, &now); code != NVML_SUCCESS) return code;
  return change(gpu, [&](Gpu& state) {
    apply(state.nvlink.links[number].counters[which]);
    return NVML_SUCCESS;
  });
}

void reset(Counter& counter) {
  counter.rx.set(0);
  counter.tx.set(0);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceSetNvLinkUtilizationControl(const Device& gpu, unsigned int link, unsigned int counter,
                                                   nvmlNvLinkUtilizationControl_t* control, unsigned int reset_too) {
  const auto units = static_cast<std::uint32_t>(control->units);
  const auto filter = static_cast<std::uint32_t>(control->pktfilter);
  Counter now;
  if (const nvmlReturn_t code = fetch_counter(gpu, link, counter, &now); code != NVML_SUCCESS) return code;
  if (units >= NVML_NVLINK_COUNTER_UNIT_RESERVED || filter > NVML_NVLINK_COUNTER_PKTFILTER_ALL)
    return NVML_ERROR_INVALID_ARGUMENT;
  return change_counter(gpu, link, counter, [&](Counter& state) {
    state.units.set(units);
    state.packet_filter.set(filter);
    if (reset_too != 0) reset(state);
  });
}

nvmlReturn_t nvmlDeviceFreezeNvLinkUtilizationCounter(const Device& gpu, unsigned int link, unsigned int counter,
                                                      nvmlEnableState_t freeze) {
  Counter now;
  if (const nvmlReturn_t code = fetch_counter(gpu, link, counter, &now); code != NVML_SUCCESS) return code;
  const auto frozen = static_cast<std::uint32_t>(freeze);
  if (frozen > NVML_FEATURE_ENABLED) return NVML_ERROR_INVALID_ARGUMENT;
  return change_counter(gpu, link, counter, [frozen](Counter& state) { state.frozen.set(frozen); });
}

nvmlReturn_t nvmlDeviceResetNvLinkUtilizationCounter(const Device& gpu, unsigned int link, unsigned int counter) {
  return change_counter(gpu, link, counter, reset);
}

nvmlReturn_t nvmlDeviceResetNvLinkErrorCounters(const Device& gpu, unsigned int link) {
  if (const nvmlReturn_t code = check_link(gpu.slot, link); code != NVML_SUCCESS) return code;
  return change(gpu, [link](Gpu& state) {
    constexpr Fact<std::uint64_t> Link::*errors[] = {&Link::replay_errors, &Link::recovery_errors,
                                                     &Link::crc_flit_errors, &Link::crc_data_errors, &Link::ecc_errors};
    for (const auto error : errors) {
      Fact<std::uint64_t>& count = state.nvlink.links[link].*error;
      if (count.has_value()) count.set(0);
    }
    return NVML_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::driver
