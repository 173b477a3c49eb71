// SPDX-License-Identifier: Apache-2.0
// Samples of NVLink counters: room is asked for first, and each counter has an answer of its own.
#include "nvmlab/nvml/nvlink_telemetry.hpp"

#include <gtest/gtest.h>

#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::device_of;
using nvmlab::binding_test::driver_error;

constexpr const char* kFunction = "nvmlDeviceGetNvLinkTelemetrySamples_v1";

// Link 0 has three samples of room and two in it; link 7 does not exist.
abi::nvmlReturn_t answer(abi::nvmlDevice_t, abi::nvmlNvlinkTelemetrySamples_v1_t* request) {
  for (unsigned i = 0; i < request->telemetryCount; ++i) {
    auto& slot = request->telemetrySamples[i];
    slot.nvmlReturn = slot.linkId == 0 ? abi::NVML_SUCCESS : abi::NVML_ERROR_NOT_FOUND;
    if (slot.nvmlReturn != abi::NVML_SUCCESS) continue;
    if (slot.sampleCount == 0) {
      slot.sampleCount = 3;
    } else if (slot.samples == nullptr || slot.sampleCount > 3) {
      return abi::NVML_ERROR_INVALID_ARGUMENT;
    } else {
      slot.samples[0] = 100 + slot.sampleType;
      slot.samples[1] = 200 + slot.sampleType;
      slot.sampleCount = 2;
    }
  }
  return abi::NVML_SUCCESS;
}

TEST(NvlinkTelemetry, EachCounterHasItsAnswer) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetNvLinkTelemetrySamples_v1>(answer);
  const NvlinkCounter counters[] = {{0, NvlinkTelemetrySampleType::throughput_raw_tx},
                                    {7, NvlinkTelemetrySampleType::throughput_raw_tx},
                                    {0, NvlinkTelemetrySampleType::throughput_raw_rx}};
  const auto samples = device_of(fake).nvlink_telemetry_samples(counters);
  ASSERT_TRUE(samples.has_value());
  ASSERT_EQ(samples->size(), 3U);
  EXPECT_EQ(samples->at(0).value(), (std::vector<std::uint64_t>{100, 200}));
  EXPECT_EQ(samples->at(1).error(), driver_error(abi::NVML_ERROR_NOT_FOUND, kFunction));
  EXPECT_EQ(samples->at(2).value(), (std::vector<std::uint64_t>{101, 201}));
}

TEST(NvlinkTelemetry, RefusalAndAbsence) {
  Fake fake;
  const NvlinkCounter counters[] = {{0, NvlinkTelemetrySampleType::throughput_raw_tx}};
  EXPECT_EQ(device_of(fake).nvlink_telemetry_samples(counters).error().origin(), Origin::symbol);
  fake.set_answer<&Functions::nvmlDeviceGetNvLinkTelemetrySamples_v1>(Return::not_supported);
  EXPECT_EQ(device_of(fake).nvlink_telemetry_samples(counters).error(),
            driver_error(abi::NVML_ERROR_NOT_SUPPORTED, kFunction));
}

}  // namespace
}  // namespace nvml
