// SPDX-License-Identifier: Apache-2.0
//
// How much vGPUs and the processes of their guests use of their GPU.
// Tests: tests/drivers/functions/vgpu_host_test.cpp.
#include "drivers/nvml/hooks/vgpu.hpp"
#include "engine/store/machine_clock.hpp"

namespace nvmlab::driver {
namespace {

using Guest = Vgpu::Process;

std::uint64_t now_us(const Store& store) { return machine_time_ns(store.clock) / 1000; }

bool runs_on(const Node& node, std::uint32_t vgpu, std::uint32_t gpu) {
  return visit_until(node.vgpu.instances, [=](const VgpuInstance& each) {
    return load(each.id).value_or(0) == vgpu && load(each.gpu).value_or(~0U) == gpu;
  });
}

// Rows that `wants` takes, into as much room as there is; how many there are.
template <class List, class Wants, class Put>
std::uint32_t collect(const List& list, std::uint32_t room, const Wants& wants, const Put& put) {
  std::uint32_t found = 0;
  visit_until(list, [&](const auto& each) {
    if (!wants(each)) return false;
    if (found < room) put(found, load(each));
    ++found;
    return false;
  });
  return found;
}

// Null or too little room: INSUFFICIENT_SIZE and the count. None: SUCCESS, which nvidia-smi shows as an idle GPU.
// Nothing newer than what the caller has seen: NOT_FOUND.
struct Samples {
  unsigned int* count;
  bool room_given;
  std::uint64_t seen_us;
  std::uint64_t now;

  std::uint32_t room() const { return room_given && seen_us < now ? *count : 0; }
  nvmlReturn_t finish(std::uint32_t found) const {
    const std::uint32_t room = room_given ? *count : 0;
    *count = found;
    if (found != 0 && seen_us >= now) return NVML_ERROR_NOT_FOUND;
    return found > room ? NVML_ERROR_INSUFFICIENT_SIZE : NVML_SUCCESS;
  }
};

template <class Put>
nvmlReturn_t give_vgpus(const Device& gpu, const Samples& samples, const Put& put) {
  const auto here = [&gpu](const VgpuInstance& each) { return load(each.gpu).value_or(~0U) == gpu.index; };
  const std::uint32_t room = samples.room();
  return samples.finish(
      consistent(gpu.store.node, [&](const Node& node) { return collect(node.vgpu.instances, room, here, put); }));
}

template <class Put>
nvmlReturn_t give_guests(const Device& gpu, const Samples& samples, const Put& put) {
  const std::uint32_t room = samples.room();
  return samples.finish(consistent(gpu.store.node, [&](const Node& node) {
    const auto here = [&](const Guest& each) {
      return load(each.time_ms).value_or(0) == 0 && runs_on(node, load(each.vgpu).value_or(0), gpu.index);
    };
    return collect(node.vgpu.processes, room, here, put);
  }));
}

nvmlValue_t value_of(const Fact<std::uint32_t>& percent) {
  nvmlValue_t value{};
  value.uiVal = percent.value_or(0);
  return value;
}

template <class Sample>
void fill_vgpu(Sample& to, const VgpuInstance& from, std::uint64_t now) {
  to.vgpuInstance = from.id.value_or(0);
  to.timeStamp = now;
  to.smUtil = value_of(from.sm_percent);
  to.memUtil = value_of(from.memory_percent);
  to.encUtil = value_of(from.encoder_percent);
  to.decUtil = value_of(from.decoder_percent);
}

template <class Sample>
void fill_guest(Sample& to, const Guest& from, std::uint64_t now) {
  to.vgpuInstance = from.vgpu.value_or(0);
  to.pid = from.pid.value_or(0);
  static_assert(sizeof to.processName == sizeof from.name.data);
  std::memcpy(to.processName, from.name.data, sizeof to.processName);
  to.timeStamp = now;
  to.smUtil = from.sm_percent.value_or(0);
  to.memUtil = from.memory_percent.value_or(0);
  to.encUtil = from.encoder_percent.value_or(0);
  to.decUtil = from.decoder_percent.value_or(0);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlDeviceGetVgpuUtilization(const Device& gpu, unsigned long long lastSeenTimeStamp,
                                          nvmlValueType_t* sampleValType, unsigned int* vgpuInstanceSamplesCount,
                                          nvmlVgpuInstanceUtilizationSample_t* utilizationSamples) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const std::uint64_t now = now_us(gpu.store);
  *sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  return give_vgpus(gpu, {vgpuInstanceSamplesCount, utilizationSamples != nullptr, lastSeenTimeStamp, now},
                    [=](std::uint32_t i, const VgpuInstance& each) { fill_vgpu(utilizationSamples[i], each, now); });
}

nvmlReturn_t nvmlDeviceGetVgpuInstancesUtilizationInfo(const Device& gpu,
                                                       nvmlVgpuInstancesUtilizationInfo_v1_t* vgpuUtilInfo) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const std::uint64_t now = now_us(gpu.store);
  vgpuUtilInfo->sampleValType = NVML_VALUE_TYPE_UNSIGNED_INT;
  auto* const to = vgpuUtilInfo->vgpuUtilArray;
  return give_vgpus(gpu, {&vgpuUtilInfo->vgpuInstanceCount, to != nullptr, vgpuUtilInfo->lastSeenTimeStamp, now},
                    [=](std::uint32_t i, const VgpuInstance& each) {
                      fill_vgpu(to[i], each, now);
                      to[i].jpgUtil = value_of(each.jpeg_percent);
                      to[i].ofaUtil = value_of(each.ofa_percent);
                    });
}

nvmlReturn_t nvmlDeviceGetVgpuProcessUtilization(const Device& gpu, unsigned long long lastSeenTimeStamp,
                                                 unsigned int* vgpuProcessSamplesCount,
                                                 nvmlVgpuProcessUtilizationSample_t* utilizationSamples) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const std::uint64_t now = now_us(gpu.store);
  return give_guests(gpu, {vgpuProcessSamplesCount, utilizationSamples != nullptr, lastSeenTimeStamp, now},
                     [=](std::uint32_t i, const Guest& each) { fill_guest(utilizationSamples[i], each, now); });
}

nvmlReturn_t nvmlDeviceGetVgpuProcessesUtilizationInfo(const Device& gpu,
                                                       nvmlVgpuProcessesUtilizationInfo_v1_t* vgpuProcUtilInfo) {
  if (!hosts_vgpus(gpu)) return NVML_ERROR_NOT_SUPPORTED;
  const std::uint64_t now = now_us(gpu.store);
  auto* const to = vgpuProcUtilInfo->vgpuProcUtilArray;
  return give_guests(gpu,
                     {&vgpuProcUtilInfo->vgpuProcessCount, to != nullptr, vgpuProcUtilInfo->lastSeenTimeStamp, now},
                     [=](std::uint32_t i, const Guest& each) {
                       fill_guest(to[i], each, now);
                       to[i].jpgUtil = each.jpeg_percent.value_or(0);
                       to[i].ofaUtil = each.ofa_percent.value_or(0);
                     });
}

}  // namespace hooks
}  // namespace nvmlab::driver
