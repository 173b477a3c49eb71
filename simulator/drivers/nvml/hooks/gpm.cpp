// SPDX-License-Identifier: Apache-2.0
//
// GPU performance monitoring: two samples of a GPU make metrics. Alone among NVML's structs, those of GPM have a plain
// 1 for a version, and nvmlGpmMetricsGet_t grew three times under it; so nothing behind the metrics that the caller
// counted is touched. Tests: tests/drivers/functions/gpm_test.cpp.
#include "drivers/nvml/hooks/gpm.hpp"

#include "drivers/nvml/hooks/handle_table.hpp"
#include "drivers/nvml/mig_handles.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::driver {
namespace {

// A sample as nvmlGpmSampleGet keeps it.
struct OwnedSample {
  std::uint64_t device;  // its handle, with the MIG instance above it; 0 before the first sample
  GpmSample sample;
};

// A sample is some ten pages, so each has a mapping of its own. The handle table is all that is fixed.
HandleTable<OwnedSample*, 1024, HandleKind::gpm_sample> samples;

constexpr std::uint32_t kGpmVersion = GPM_METRICS_GET_VERSION;
static_assert(kGpmVersion == 1 && GPM_SUPPORT_VERSION == 1);

bool has_gpm(const GpuSlot& slot) { return read_field(slot, &Gpu::gpm, &Gpm::supported).value_or(0) != 0; }

OwnedSample* find_sample(nvmlGpmSample_t sample) {
  auto* slot = samples.find(sample);
  return slot == nullptr ? nullptr : slot->content;
}

// What a sample is of: two of different instances make no metrics.
std::uint64_t subject_of(const Device& gpu) {
  const std::uint64_t instance = std::uint64_t{gpu.gpu_instance + 1} << 4 | (gpu.compute_instance + 1);
  return handle_of(gpu.slot) | instance << kHandleBits;
}

nvmlReturn_t take_sample(const Device& gpu, nvmlGpmSample_t handle) {
  const ProcessLock lock;
  OwnedSample* owned = find_sample(handle);
  if (owned == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (!has_gpm(gpu.slot)) return NVML_ERROR_NOT_SUPPORTED;
  GpmSample& sample = owned->sample;
  consistent(gpu.slot, [&sample](const Gpu& state) {
    load_into(sample.gpu, state);
    return 0;
  });
  const std::uint64_t now_ns = machine_time_ns(gpu.store.clock);
  resolve(sample.gpu, now_ns);
  if (gpu.gpu_instance != kNoInstance) restrict_to_instance(sample.gpu, gpu.gpu_instance, gpu.compute_instance);
  owned->device = subject_of(gpu);
  sample.taken_ms = now_ns / 1'000'000;
  return NVML_SUCCESS;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlGpmSampleAlloc(Store&, nvmlGpmSample_t* gpmSample) {
  auto* memory = static_cast<OwnedSample*>(sys::map_private(sizeof(OwnedSample)));
  if (memory == nullptr) return NVML_ERROR_MEMORY;
  const ProcessLock lock;
  auto* slot = samples.make();
  if (slot == nullptr) {
    sys::unmap(memory, sizeof(OwnedSample));
    return NVML_ERROR_MEMORY;
  }
  slot->content = memory;
  *gpmSample = reinterpret_cast<nvmlGpmSample_t>(slot->handle);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleFree(Store&, nvmlGpmSample_t gpmSample) {
  const ProcessLock lock;
  auto* slot = samples.find(gpmSample);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  sys::unmap(slot->content, sizeof(OwnedSample));
  samples.free(*slot);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlGpmSampleGet(const Device& gpu, nvmlGpmSample_t gpmSample) { return take_sample(gpu, gpmSample); }

nvmlReturn_t nvmlGpmMigSampleGet(const Device& gpu, unsigned int gpuInstanceId, nvmlGpmSample_t gpmSample) {
  MigState state{};
  read_mig_state(gpu.store, gpu.slot, &state);
  if (!state.on) return NVML_ERROR_NOT_SUPPORTED;
  if (state.layout.find(gpuInstanceId) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return take_sample({gpu.store, gpu.slot, gpu.index, gpuInstanceId}, gpmSample);
}

nvmlReturn_t nvmlGpmMetricsGet(Store&, nvmlGpmMetricsGet_t* metricsGet) {
  if (metricsGet->version != kGpmVersion) return NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  if (metricsGet->numMetrics > simulated_driver().gpm_metric_max) return NVML_ERROR_INVALID_ARGUMENT;
  const ProcessLock lock;
  const OwnedSample* before = find_sample(metricsGet->sample1);
  const OwnedSample* after = find_sample(metricsGet->sample2);
  if (before == nullptr || after == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  // Never taken, or of two GPUs.
  if (before->device == 0 || before->device != after->device) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t i = 0; i < metricsGet->numMetrics; ++i)
    give_gpm_metric(before->sample, after->sample, metricsGet->metrics[i]);
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
