// SPDX-License-Identifier: Apache-2.0
//
// Counters of one link: errors, and the two that Pascal and Volta could tell what to count. Later chips count
// throughput (NVML_FI_DEV_NVLINK_THROUGHPUT_*) and have none of the latter. Tests:
// tests/drivers/functions/nvlink_test.cpp.
#include "drivers/nvml/hooks/nvlink.hpp"
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// A change of a counter that the driver can name.
template <class Body>
nvmlReturn_t change_counter(const Device& gpu, const Body& body) {
  const nvmlReturn_t code = check_link(gpu.slot, body.link);
  return code == NVML_SUCCESS ? apply(gpu, body) : code;
}

}  // namespace

namespace hooks {

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
