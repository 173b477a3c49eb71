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

// A change of a counter that the driver can name.
template <class Body>
nvmlReturn_t change_counter(const Device& gpu, const Body& body) {
  const nvmlReturn_t code = check_link(gpu.slot, body.link);
  return code == NVML_SUCCESS ? apply(gpu, body) : code;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetNvLinkUtilizationCounter(const Device& gpu, unsigned int link, unsigned int counter,
                                                   unsigned long long* rxcounter, unsigned long long* txcounter) {
  Counter state;
  if (const nvmlReturn_t code = fetch_counter(gpu, link, counter, &state); code != NVML_SUCCESS) return code;
  if (!state.rx.has_value() || !state.tx.has_value())
    return code_of(state.rx.has_value() ? state.tx.code() : state.rx.code());
  *rxcounter = state.rx.value;
  *txcounter = state.tx.value;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceGetNvLinkUtilizationControl(const Device& gpu, unsigned int link, unsigned int counter,
                                                   nvmlNvLinkUtilizationControl_t* control) {
  Counter state;
  if (const nvmlReturn_t code = fetch_counter(gpu, link, counter, &state); code != NVML_SUCCESS) return code;
  control->units = static_cast<nvmlNvLinkUtilizationCountUnits_t>(state.units.value_or(NVML_NVLINK_COUNTER_UNIT_BYTES));
  control->pktfilter = static_cast<nvmlNvLinkUtilizationCountPktTypes_t>(
      state.packet_filter.value_or(NVML_NVLINK_COUNTER_PKTFILTER_ALL));
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceSetNvLinkUtilizationControl(const Device& gpu, unsigned int link, unsigned int counter,
                                                   nvmlNvLinkUtilizationControl_t* control, unsigned int reset) {
  return change_counter(gpu, SetNvlinkCounter{link, counter, static_cast<std::uint32_t>(control->units),
                                              static_cast<std::uint32_t>(control->pktfilter), reset});
}

nvmlReturn_t nvmlDeviceFreezeNvLinkUtilizationCounter(const Device& gpu, unsigned int link, unsigned int counter,
                                                      nvmlEnableState_t freeze) {
  return change_counter(gpu, FreezeNvlinkCounter{link, counter, static_cast<std::uint32_t>(freeze)});
}

nvmlReturn_t nvmlDeviceResetNvLinkUtilizationCounter(const Device& gpu, unsigned int link, unsigned int counter) {
  return change_counter(gpu, ClearNvlinkCounter{link, counter});
}

nvmlReturn_t nvmlDeviceResetNvLinkErrorCounters(const Device& gpu, unsigned int link) {
  return change_counter(gpu, ClearNvlinkErrors{link});
}

}  // namespace hooks
}  // namespace nvmlab::driver
