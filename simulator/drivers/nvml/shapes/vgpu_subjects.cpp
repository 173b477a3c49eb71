// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/vgpu_subjects.hpp"

#include <cstring>

#include "drivers/nvml/visit.hpp"

namespace nvmlab::driver {

nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuType* type) {
  return find_vgpu_type(store, id, type) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t look_up(const Device& gpu, std::uint32_t id, VgpuType* type) {
  if (!hosts_vgpus(gpu.store, gpu.index)) return NVML_ERROR_NOT_SUPPORTED;
  return VgpuTypes(gpu.store, gpu.index).find(id, type) ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuInstance* vgpu) {
  if (id == 0) return NVML_ERROR_INVALID_ARGUMENT;
  return find_vgpu(store, id, vgpu) ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t look_up(const Store& store, std::uint32_t vgpu, std::uint32_t pid, Vgpu::Process* guest) {
  VgpuInstance of{};
  if (const nvmlReturn_t code = look_up(store, vgpu, &of); code != NVML_SUCCESS) return code;
  if (!of.accounting.has_value()) return static_cast<nvmlReturn_t>(of.accounting.code());
  if (of.accounting.value == 0) return NVML_ERROR_NOT_SUPPORTED;
  const bool found = consistent(store.node, [=](const Node& node) {
    return visit_until(node.vgpu.processes, [=](const Vgpu::Process& each) {
      if (load(each.vgpu).value_or(0) != vgpu || load(each.pid).value_or(0) != pid) return false;
      load_into(*guest, each);
      return true;
    });
  });
  return found ? NVML_SUCCESS : NVML_ERROR_NOT_FOUND;
}

nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuEncoder* encoder) {
  VgpuInstance of{};
  if (const nvmlReturn_t code = look_up(store, id, &of); code != NVML_SUCCESS) return code;
  struct Sum {
    std::uint32_t sessions = 0;
    std::uint64_t fps = 0;
    std::uint64_t latency = 0;
  };
  const Sum sum = consistent(store.node, [id](const Node& node) {
    Sum found;
    visit_until(node.vgpu.encoder_sessions, [&](const Vgpu::EncoderSession& each) {
      if (load(each.vgpu).value_or(0) != id) return false;
      ++found.sessions;
      found.fps += load(each.average_fps).value_or(0);
      found.latency += load(each.average_latency_us).value_or(0);
      return false;
    });
    return found;
  });
  const std::uint32_t by = sum.sessions != 0 ? sum.sessions : 1;
  *encoder = {sum.sessions, static_cast<std::uint32_t>(sum.fps / by), static_cast<std::uint32_t>(sum.latency / by)};
  return NVML_SUCCESS;
}

nvmlReturn_t look_up(const Store& store, std::uint32_t id, VgpuMemory* memory) {
  VgpuInstance vgpu{};
  if (const nvmlReturn_t code = look_up(store, id, &vgpu); code != NVML_SUCCESS) return code;
  const std::uint32_t gpu = vgpu.gpu.value_or(0);
  VgpuType type{};
  if (!VgpuTypes(store, gpu).find(vgpu.type.value_or(0), &type)) return NVML_ERROR_UNKNOWN;
  const Fact<std::uint32_t> mode = peek_field(store, gpu, &Gpu::ecc, &Ecc::mode);
  if (!mode.has_value() || std::strcmp(type.vgpu_class, "NVS") == 0) return NVML_ERROR_NOT_SUPPORTED;
  *memory = {mode.value};
  return NVML_SUCCESS;
}

bool any_vgpu_host(const Store& store) {
  for (std::uint32_t i = 0; i < gpu_count(store); ++i) {
    if (hosts_vgpus(store, i)) return true;
  }
  return false;
}

nvmlReturn_t look_up(const Store& store, VgpuDriver* driver) {
  *driver = {1U << NVML_VGPU_DRIVER_CAP_HETEROGENEOUS_MULTI_VGPU};
  return any_vgpu_host(store) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t look_up(const Device& gpu, VgpuLender* lender) {
  *lender = {gpu.index};
  return hosts_vgpus(gpu.store, gpu.index) ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace nvmlab::driver
