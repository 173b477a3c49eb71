// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_processes.hpp"

#include <cstring>

#include "engine/topics/processes/process_changes.hpp"
#include "engine/topics/processes/process_kinds.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kFirstPid = 2'100'000;
constexpr std::uint32_t kPids = 1'000'000;
constexpr char kName[] = "vgpu";

// Of the one writer, who sees what he has published himself.
const Vgpu& published_vgpus(const Store& store) {
  return store.node.copies[__atomic_load_n(&store.node.sequence, __ATOMIC_RELAXED) & 1].vgpu;
}

bool runs_on(const VgpuInstance& each, std::uint32_t gpu) { return each.gpu.value_or(~0U) == gpu; }

bool of_vgpu(const Processes::Process& each) {
  const std::uint32_t pid = each.pid.value_or(0);
  return pid >= kFirstPid && pid - kFirstPid < kPids && each.name.has_value() && each.name.length == sizeof kName - 1 &&
         std::memcmp(each.name.data, kName, sizeof kName - 1) == 0;
}

bool has_vgpu(const Vgpu& host, std::uint32_t gpu, std::uint32_t pid) {
  for (const VgpuInstance& each : host.instances) {
    if (runs_on(each, gpu) && each.host_pid.value_or(0) == pid) return true;
  }
  return false;
}

bool has_process(const GpuEdit& gpu, std::uint32_t pid) {
  for (const auto& each : gpu.view(&Gpu::processes).running) {
    if (each.pid.value_or(0) == pid) return true;
  }
  return false;
}

bool end_processes(const Vgpu& host, std::uint32_t index, GpuEdit& gpu) {
  bool any = false;
  std::uint32_t at = 0;
  while (at < gpu.view(&Gpu::processes).running.size()) {
    const auto& each = gpu.view(&Gpu::processes).running[at];
    if (!of_vgpu(each) || has_vgpu(host, index, each.pid.value) ||
        make(EndProcess{each.pid.value, 0}, gpu) != kSuccess) {
      ++at;
    } else {
      any = true;
    }
  }
  return any;
}

void start_process(const VgpuInstance& vgpu, GpuEdit& gpu) {
  StartProcess process{};
  process.pid = vgpu.host_pid.value;
  process.kinds = kComputeProcess | kGraphicsProcess;
  process.used_bytes = vgpu.host_bytes.value_or(0);
  process.gpu_instance = process.compute_instance = kNoInstance;
  std::memcpy(process.name, kName, sizeof kName);
  if (make(process, gpu) != kSuccess || !vgpu.gpu_instance.has_value()) return;
  auto& running = gpu.edit(&Gpu::processes).running;
  running[running.size() - 1].gpu_instance.set(vgpu.gpu_instance.value);
}

struct Engine {
  Fact<std::uint32_t> VgpuInstance::*of_vgpu;
  Fact<std::uint32_t> Utilization::*of_gpu;
};
constexpr Engine kEngines[] = {
    {&VgpuInstance::sm_percent, &Utilization::gpu_percent},
    {&VgpuInstance::memory_percent, &Utilization::memory_percent},
    {&VgpuInstance::encoder_percent, &Utilization::encoder_percent},
    {&VgpuInstance::decoder_percent, &Utilization::decoder_percent},
    {&VgpuInstance::jpeg_percent, &Utilization::jpeg_percent},
    {&VgpuInstance::ofa_percent, &Utilization::ofa_percent},
};

void use_engines(const Vgpu& host, std::uint32_t index, GpuEdit& gpu) {
  for (const Engine& engine : kEngines) {
    const Fact<std::uint32_t>& now = gpu.view(&Gpu::utilization).*engine.of_gpu;
    std::uint32_t sum = 0;
    for (const VgpuInstance& each : host.instances) {
      if (runs_on(each, index)) sum += (each.*engine.of_vgpu).value_or(0);
    }
    sum = sum < 100 ? sum : 100;
    if (now.has_value() && now.value != sum) (gpu.edit(&Gpu::utilization).*engine.of_gpu).set(sum);
  }
}

}  // namespace

std::uint32_t vgpu_host_pid(std::uint32_t vgpu) { return kFirstPid + vgpu % kPids; }

bool vgpu_process_fits(const Store& store, std::uint32_t gpu, std::uint64_t bytes) {
  return consistent(store.gpus()[gpu], [bytes](const Gpu& state) {
    const Memory& memory = state.memory;
    const Fact<std::uint64_t> total = load(memory.total_bytes);
    const std::uint64_t taken = load(memory.used_bytes).value_or(0) + load(memory.reserved_bytes).value_or(0);
    if (length_of(state.processes.running) == decltype(state.processes.running)::capacity) return false;
    return !total.has_value() || (taken <= total.value && bytes <= total.value - taken);
  });
}

bool vgpus_unfollowed(const Store& store) {
  return read_field(store.node, &Node::vgpu, &Vgpu::unfollowed).value_or(0) != 0;
}

void follow_vgpus(const Store& store, std::uint32_t index, GpuEdit& gpu) {
  const Vgpu& host = published_vgpus(store);
  bool any = end_processes(host, index, gpu);
  for (const VgpuInstance& each : host.instances) {
    if (!runs_on(each, index)) continue;
    any = true;
    if (each.host_pid.has_value() && !has_process(gpu, each.host_pid.value)) start_process(each, gpu);
  }
  if (any && !gpu.view(&Gpu::load).segment.has_value()) use_engines(host, index, gpu);
}

}  // namespace nvmlab
