// SPDX-License-Identifier: Apache-2.0
#include "command/machine/snapshot.hpp"

#include <algorithm>

#include "compiler/canonical.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::tool {
namespace {

std::string uuid_text(const Text<96>& uuid) {
  return uuid.has_value() ? std::string(uuid.data, std::min(uuid.length, 95u)) : "";
}

template <class State>
void copy_published(const Latched<State>& slot, State* zeroed) {
  const auto now = std::make_unique<State>(consistent(slot, [](const State& state) { return load(state); }));
  compiler::copy_canonical(*now, zeroed);
}

}  // namespace

Snapshot take_snapshot(const Store& store, std::span<const std::uint32_t> gpus) {
  Snapshot snapshot;
  snapshot.node = std::make_unique<Node>();
  copy_published(store.node, snapshot.node.get());
  snapshot.indices.assign(gpus.begin(), gpus.end());
  snapshot.gpu_count = store.header.gpu_count;
  snapshot.gpus.reserve(gpus.size());
  const std::uint64_t now_ns = machine_time_ns(store.clock);  // the same for all of them
  for (const std::uint32_t index : gpus) {
    copy_published(store.gpus()[index], &snapshot.gpus.emplace_back());
    resolve(snapshot.gpus.back(), now_ns);
    derived::compute(snapshot.gpus.back());
    snapshot.pins.push_back(load(store.gpus()[index].pins));
  }
  snapshot.node_pins = std::make_unique<Pins>(load(store.node.pins));
  return snapshot;
}

bool is_loaded(const Store& store, std::uint32_t gpu) {
  return consistent(store.gpus()[gpu], [](const Gpu& state) {
    constexpr std::uint32_t there = kSuccess ^ kNotSupported;
    return __atomic_load_n(&state.load.segment.stored_code, __ATOMIC_ACQUIRE) == there ||
           __atomic_load_n(&state.load.curves.stored_code, __ATOMIC_ACQUIRE) == there;
  });
}

Snapshot take_snapshot(const compiler::Machine& machine) {
  Snapshot snapshot;
  snapshot.node = std::make_unique<Node>(machine.node());
  snapshot.gpu_count = machine.gpu_count();
  snapshot.gpus.reserve(snapshot.gpu_count);
  for (std::uint32_t i = 0; i < snapshot.gpu_count; ++i) {
    snapshot.indices.push_back(i);
    snapshot.gpus.push_back(machine.gpu(i));
  }
  return snapshot;
}

const std::byte* Snapshot::owner_of(const compiler::FieldRef& ref, std::size_t gpu) const {
  return ref.topic->of_node ? reinterpret_cast<const std::byte*>(node.get())
                            : reinterpret_cast<const std::byte*>(&gpus[gpu]);
}

bool Snapshot::pinned(const compiler::FieldRef& ref, std::size_t gpu) const {
  if (ref.topic->of_node) return node_pins != nullptr && node_pins->find(ref.offset) != nullptr;
  return gpu < pins.size() && pins[gpu].find(ref.offset) != nullptr;
}

void Snapshot::keep_only(std::span<const std::uint32_t> wanted) {
  std::vector<Gpu> kept;
  kept.reserve(wanted.size());
  for (const std::uint32_t index : wanted)
    kept.push_back(gpus[index]);
  gpus = std::move(kept);
  indices.assign(wanted.begin(), wanted.end());
}

std::vector<SelectableGpu> selectable_gpus(const Store& store) {
  std::vector<SelectableGpu> gpus;
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    const GpuSlot& slot = store.gpus()[i];
    gpus.push_back({uuid_text(read_field(slot, &Gpu::identity, &Identity::uuid)),
                    address_of(consistent(slot, [](const Gpu& gpu) { return load(gpu.pci); }))});
  }
  return gpus;
}

std::vector<SelectableGpu> selectable_gpus(const Snapshot& snapshot) {
  std::vector<SelectableGpu> gpus;
  for (const Gpu& gpu : snapshot.gpus)
    gpus.push_back({uuid_text(gpu.identity.uuid), address_of(gpu.pci)});
  return gpus;
}

std::string uuid_of(const Gpu& gpu) { return uuid_text(gpu.identity.uuid); }

}  // namespace nvmlab::tool
