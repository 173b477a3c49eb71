// SPDX-License-Identifier: Apache-2.0
//
// The rings of samples that a driver keeps for each GPU. A sample is taken whenever the clock passes a multiple of the
// period, so any two callers see the same ring and a caller that comes back gets what is new. Protocol E: null asks for
// the size of the ring; nothing newer is NOT_FOUND. Tests: tests/drivers/functions/samples_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

// What nvidia-smi -q -d POWER,UTILIZATION shows of data-centre boards: 119 or 120 power samples over 2.4 seconds, and
// 99 or 100 of the others over as many sampling periods.
constexpr std::uint32_t kPowerRing = 120;
constexpr std::uint32_t kOtherRing = 100;
constexpr std::uint64_t kPowerPeriodUs = 20'000;
constexpr std::uint64_t kDefaultPeriodUs = 167'000;

struct Ring {
  Fact<std::uint32_t> value;
  std::uint32_t size;
  std::uint64_t period_us;
  bool exists;
};

// Of utilization, in its own period; power and clocks lie elsewhere.
Ring utilization_ring(const Device& gpu, Fact<std::uint32_t> Utilization::*field) {
  const auto [period] = fetch(gpu, &Gpu::utilization, &Utilization::sampling_period_us);
  return {read_field(gpu.slot, &Gpu::utilization, field), kOtherRing,
          period.value_or(0) > 0 ? period.value : kDefaultPeriodUs, true};
}

Ring clock_ring(const Device& gpu, Fact<std::uint32_t> Clocks::*field) {
  const auto [period] = fetch(gpu, &Gpu::utilization, &Utilization::sampling_period_us);
  return {read_field(gpu.slot, &Gpu::clocks, field), kOtherRing,
          period.value_or(0) > 0 ? period.value : kDefaultPeriodUs, true};
}

Ring power_ring(const Device& gpu, Fact<std::uint32_t> Power::*field) {
  return {read_field(gpu.slot, &Gpu::power, field), kPowerRing, kPowerPeriodUs, true};
}

Ring ring_of(const Device& gpu, nvmlSamplingType_t type) {
  switch (type) {
    case NVML_TOTAL_POWER_SAMPLES:
      return power_ring(gpu, &Power::draw_mw);
    case NVML_MODULE_POWER_SAMPLES:
      return power_ring(gpu, &Power::module_draw_average_mw);
    case NVML_GPU_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::gpu_percent);
    case NVML_MEMORY_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::memory_percent);
    case NVML_ENC_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::encoder_percent);
    case NVML_DEC_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::decoder_percent);
    case NVML_JPG_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::jpeg_percent);
    case NVML_OFA_UTILIZATION_SAMPLES:
      return utilization_ring(gpu, &Utilization::ofa_percent);
    case NVML_PROCESSOR_CLK_SAMPLES:
      return clock_ring(gpu, &Clocks::sm_mhz);
    case NVML_MEMORY_CLK_SAMPLES:
      return clock_ring(gpu, &Clocks::memory_mhz);
    default:
      return {{}, 0, kDefaultPeriodUs, false};
  }
}

// Nobody samples engines that instances share out.
bool samples_engines(nvmlSamplingType_t type) {
  switch (type) {
    case NVML_GPU_UTILIZATION_SAMPLES:
    case NVML_MEMORY_UTILIZATION_SAMPLES:
    case NVML_ENC_UTILIZATION_SAMPLES:
    case NVML_DEC_UTILIZATION_SAMPLES:
    case NVML_JPG_UTILIZATION_SAMPLES:
    case NVML_OFA_UTILIZATION_SAMPLES:
      return true;
    default:
      return false;
  }
}

std::uint32_t value_at(const Device& gpu, Fact<std::uint32_t> value, std::uint64_t at_us) {
  if (value.moves()) value = told_at(value, gpu.slot, at_us * 1000);
  return value.value;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetSamples(const Device& gpu, nvmlSamplingType_t type, unsigned long long lastSeenTimeStamp,
                                  nvmlValueType_t* sampleValType, unsigned int* sampleCount, nvmlSample_t* samples) {
  const Ring ring = ring_of(gpu, type);
  if (!ring.exists) return NVML_ERROR_INVALID_ARGUMENT;
  if (partitioned(gpu.slot) && samples_engines(type)) return NVML_ERROR_NOT_SUPPORTED;
  if (!ring.value.has_value() && !ring.value.moves()) return code_of(ring.value.code());
  if (samples != nullptr && *sampleCount == 0) return NVML_ERROR_INVALID_ARGUMENT;
  *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  if (samples == nullptr) {
    *sampleCount = ring.size;
    return NVML_SUCCESS;
  }
  const std::uint64_t newest = machine_time_ns(gpu.store.clock) / 1000 / ring.period_us;  // counted in periods
  const std::uint64_t forgotten = newest - ring.size;
  const std::uint64_t seen = lastSeenTimeStamp / ring.period_us;
  const std::uint64_t before = seen > forgotten ? seen : forgotten;
  const std::uint64_t found = before < newest ? newest - before : 0;
  const auto given = static_cast<std::uint32_t>(found < *sampleCount ? found : *sampleCount);
  *sampleCount = given;
  if (given == 0) return NVML_ERROR_NOT_FOUND;
  for (std::uint32_t i = 0; i < given; ++i) {
    samples[i].timeStamp = (before + 1 + i) * ring.period_us;
    samples[i].sampleValue.ullVal = 0;
    samples[i].sampleValue.uiVal = value_at(gpu, ring.value, samples[i].timeStamp);
  }
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
