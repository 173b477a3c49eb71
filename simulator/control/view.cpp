// SPDX-License-Identifier: Apache-2.0
#include "control/view.hpp"

#include <algorithm>

#include "control/machine.hpp"
#include "control/published.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::control {

MachineView view_of(const Machine& machine, std::span<const std::uint32_t> gpus) {
  const Store& store = machine.store();
  MachineView view;
  view.node = std::make_unique<Node>();
  copy_published(store.node, view.node.get());
  view.indices.assign(gpus.begin(), gpus.end());
  view.gpu_count = machine.gpu_count();
  view.gpus.reserve(gpus.size());
  const std::uint64_t now_ns = machine.clock().now_ns;  // the same for all of them
  for (const std::uint32_t index : gpus) {
    copy_published(store.gpus()[index], &view.gpus.emplace_back());
    resolve(view.gpus.back(), now_ns);
    derived::compute(view.gpus.back());
    view.pins.push_back(load(store.gpus()[index].pins));
  }
  view.node_pins = std::make_unique<Pins>(load(store.node.pins));
  return view;
}

MachineView view_of(const Machine& machine) { return view_of(machine, all_gpus(machine.gpu_count())); }

bool is_loaded(const Machine& machine, std::uint32_t gpu) {
  return consistent(machine.store().gpus()[gpu], [](const Gpu& state) {
    constexpr std::uint32_t there = kSuccess ^ kNotSupported;
    return __atomic_load_n(&state.load.segment.stored_code, __ATOMIC_ACQUIRE) == there ||
           __atomic_load_n(&state.load.curves.stored_code, __ATOMIC_ACQUIRE) == there;
  });
}

MachineView view_of(const compiler::Machine& machine) {
  MachineView view;
  view.node = std::make_unique<Node>(machine.node());
  view.gpu_count = machine.gpu_count();
  view.gpus.reserve(view.gpu_count);
  for (std::uint32_t i = 0; i < view.gpu_count; ++i) {
    view.indices.push_back(i);
    view.gpus.push_back(machine.gpu(i));
  }
  return view;
}

const std::byte* MachineView::owner_of(const compiler::FieldRef& ref, std::size_t gpu) const {
  return ref.topic->of_node ? reinterpret_cast<const std::byte*>(node.get())
                            : reinterpret_cast<const std::byte*>(&gpus[gpu]);
}

bool MachineView::pinned(const compiler::FieldRef& ref, std::size_t gpu) const {
  if (ref.topic->of_node) return node_pins != nullptr && node_pins->find(ref.offset) != nullptr;
  return gpu < pins.size() && pins[gpu].find(ref.offset) != nullptr;
}

void MachineView::keep_only(std::span<const std::uint32_t> wanted) {
  std::vector<Gpu> kept;
  kept.reserve(wanted.size());
  for (const std::uint32_t index : wanted)
    kept.push_back(gpus[index]);
  gpus = std::move(kept);
  indices.assign(wanted.begin(), wanted.end());
}

std::vector<SelectableGpu> selectable_gpus(const MachineView& view) {
  std::vector<SelectableGpu> gpus;
  for (const Gpu& gpu : view.gpus)
    gpus.push_back({uuid_of(gpu.identity.uuid), address_of(gpu.pci)});
  return gpus;
}

std::string uuid_of(const Text<96>& uuid) {
  return uuid.has_value() ? std::string(uuid.data, std::min(uuid.length, 95u)) : "";
}

std::string uuid_of(const Gpu& gpu) { return uuid_of(gpu.identity.uuid); }

}  // namespace nvmlab::control
