// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_host.hpp"

#include "engine/topics/mig/mig_layout.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kSlots = sizeof(VgpuLoad::taken) * 8;

std::uint32_t count_listed(const Store& store) {
  return consistent(store.node, [](const Node& node) { return length_of(node.vgpu.types); });
}

std::uint32_t gib_of(const Store& store, std::uint32_t gpu) {
  const auto total = peek_field(store, gpu, &Gpu::memory, &Memory::total_bytes);
  constexpr std::uint64_t gib = std::uint64_t{1} << 30;
  return static_cast<std::uint32_t>((total.value_or(0) + gib - 1) / gib);
}

}  // namespace

bool hosts_vgpus(const Store& store, std::uint32_t index) {
  return peek_field(store, index, &Gpu::modes, &Modes::virtualization).value_or(0) == kHostVgpu;
}

bool heterogeneous_vgpus(const Store& store, std::uint32_t gpu) {
  return peek_field(store, gpu, &Gpu::modes, &Modes::vgpu_heterogeneous).value_or(0) != 0;
}

VgpuTypes::VgpuTypes(const Store& store, std::uint32_t gpu)
    : store_(store),
      board_(find_vgpu_board(peek_field(store, gpu, &Gpu::pci, &Pci::device_id).value_or(0),
                             peek_field(store, gpu, &Gpu::pci, &Pci::subsystem_id).value_or(0))),
      listed_(count_listed(store)),
      gib_(board_ != nullptr ? board_->gib : gib_of(store, gpu)),
      sriov_(peek_field(store, gpu, &Gpu::modes, &Modes::host_vgpu).value_or(board_ != nullptr && board_->sriov) != 0),
      cut_(peek_field(store, gpu, &Gpu::modes, &Modes::mig).value_or(0) != 0) {}

bool VgpuTypes::at(std::uint32_t index, VgpuType* out) const {
  if (listed_ == 0) return board_ != nullptr && vgpu_type_at(*board_, index, out);
  if (index >= listed_) return false;
  const Vgpu::Type row =
      consistent(store_.node, [index](const Node& node) { return load(node.vgpu.types.items[index]); });
  *out = listed_vgpu_type(row);
  return true;
}

bool VgpuTypes::find(std::uint32_t id, VgpuType* out) const {
  for (std::uint32_t i = 0; at(i, out); ++i) {
    if (out->id == id) return true;
  }
  return false;
}

bool find_vgpu_type(const Store& store, std::uint32_t id, VgpuType* out) {
  for (std::uint32_t gpu = 0; gpu < store.header.gpu_count; ++gpu) {
    if (hosts_vgpus(store, gpu) && VgpuTypes(store, gpu).find(id, out)) return true;
  }
  return false;
}

void VgpuLoad::take(std::uint32_t at, std::uint32_t slots) {
  for (std::uint32_t i = at; i < at + slots && i < kSlots; ++i)
    taken[i / 64] |= std::uint64_t{1} << i % 64;
}

bool VgpuLoad::free(std::uint32_t at, std::uint32_t slots) const {
  if (at > kSlots || slots > kSlots - at) return false;
  for (std::uint32_t i = at; i < at + slots; ++i) {
    if ((taken[i / 64] >> i % 64 & 1) != 0) return false;
  }
  return true;
}

VgpuLoad vgpu_load(const Vgpu& host, const VgpuTypes& types, std::uint32_t gpu) {
  VgpuLoad found;
  VgpuType type{};
  const std::uint32_t count = length_of(host.instances);
  for (std::uint32_t i = 0; i < count; ++i) {
    const VgpuInstance& each = host.instances.items[i];
    if (load(each.gpu).value_or(~0U) != gpu) continue;
    const std::uint32_t size = types.find(load(each.type).value_or(0), &type) ? type.placement_size() : 0;
    if (found.count++ == 0) found.size = size;
    const Fact<std::uint32_t> lives_in = load(each.gpu_instance);
    if (lives_in.has_value()) found.instances |= 1U << (lives_in.value & 31);
    const Fact<std::uint32_t> at = load(each.placement);
    if (at.has_value()) found.take(at.value < kSlots ? at.value : kSlots, size < kSlots ? size : kSlots);
  }
  return found;
}

Placements creatable_placements(const VgpuType& type, const VgpuTypes& types, const VgpuLoad& load,
                                bool heterogeneous) {
  Placements creatable;
  const std::uint32_t size = type.placement_size();
  if (!heterogeneous && load.count > 0 && load.size != size) return creatable;
  const Placements supported = supported_placements(type, types.gib(), heterogeneous);
  for (std::uint32_t i = 0; i < supported.count; ++i) {
    if (load.free(supported.ids[i], size)) creatable.add(supported.ids[i]);
  }
  return creatable;
}

std::uint32_t free_gpu_instances(const Store& store, std::uint32_t gpu, const VgpuType& type, const VgpuLoad& load) {
  const std::uint32_t made = consistent(store.gpus()[gpu], [&type](const Gpu& state) {
    const MigLayout layout = read_layout(state.instances);
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < layout.gpu_instances; ++i) {
      const MigLayout::GpuInstance& each = layout.gpu_instance[i];
      if (each.profile_id == type.gpu_instance_profile) found |= 1U << (each.id & 31);
    }
    return found;
  });
  return made & ~load.instances;
}

Code vgpu_creatable(const VgpuType& type, const VgpuTypes& types, const VgpuLoad& load, const VgpuHost& host) {
  if (type.backed_by_mig() != types.cut()) return kInvalidState;
  if (types.cut()) return free_gpu_instances(host.store, host.gpu, type, load) != 0 ? kSuccess : kInsufficientResources;
  if (host.heterogeneous)
    return creatable_placements(type, types, load, true).count > 0 ? kSuccess : kInsufficientResources;
  if (load.count > 0 && load.size != type.placement_size()) return kInvalidState;
  return load.count < type.max_instances ? kSuccess : kInsufficientResources;
}

bool find_vgpu(const Store& store, std::uint32_t id, VgpuInstance* out) {
  return consistent(store.node, [id, out](const Node& node) {
    const auto& list = node.vgpu.instances;
    const std::uint32_t count = length_of(list);
    for (std::uint32_t i = 0; i < count; ++i) {
      const Fact<std::uint32_t> own = load(list.items[i].id);
      if (!own.has_value() || own.value != id) continue;
      load_into(*out, list.items[i]);
      return true;
    }
    return false;
  });
}

bool vgpus_run_on(const Store& store, std::uint32_t gpu) {
  return consistent(store.node, [gpu](const Node& node) {
    const auto& list = node.vgpu.instances;
    const std::uint32_t count = length_of(list);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (load(list.items[i].gpu).value_or(~0U) == gpu) return true;
    }
    return false;
  });
}

}  // namespace nvmlab
