// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/driver/driver_load.hpp"

#include "engine/store/event_ring.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {
namespace {

void enter(Store& store, DriverPhase phase) {
  __atomic_store_n(&store.header.driver_phase, static_cast<std::uint32_t>(phase), __ATOMIC_RELEASE);
}

bool went_with_driver(const GpuSlot& slot) { return __atomic_load_n(&slot.with_driver, __ATOMIC_ACQUIRE) != 0; }

void note_with_driver(GpuSlot& slot, bool went) {
  __atomic_store_n(&slot.with_driver, went ? 1u : 0u, __ATOMIC_RELEASE);
}

bool holds_driver(const GpuSlot& slot) {
  return consistent(slot, [](const Gpu& gpu) {
    return load(gpu.modes.persistence).value_or(0) != 0 || length_of(gpu.processes.running) > 0;
  });
}

bool lends_vgpus(const Store& store) {
  return consistent(store.node, [](const Node& node) { return length_of(node.vgpu.instances) > 0; });
}

void detach(Store& store, std::uint32_t index) {
  GpuSlot& slot = store.gpus()[index];
  if (!present(slot)) return;
  note_with_driver(slot, true);
  remove_gpu(&store, &slot);
  raise(&store.events, Event{.type = kDriverUnbindEvent,
                             .data = 0,
                             .at_ns = machine_time_ns(store.clock),
                             .gpu = index,
                             .gpu_instance = kNoInstance,
                             .compute_instance = kNoInstance,
                             .of_machine = 1});
}

void attach(Store& store, std::uint32_t index, const GpuInitialiser& initialiser) {
  GpuSlot& slot = store.gpus()[index];
  if (!went_with_driver(slot)) return;
  if (!present(slot)) initialiser.initialise(initialiser.context, index);
  note_with_driver(slot, false);
}

}  // namespace

Code init_answer(const Store& store) {
  if (driver_phase(store) != DriverPhase::loaded) return kDriverNotLoaded;
  return __atomic_load_n(&store.header.init_code, __ATOMIC_ACQUIRE);
}

void DriverEdit::publish() const {
  __atomic_store_n(&store_.header.init_code, init_code_, __ATOMIC_RELEASE);
  enter(store_, phase_);
}

Code make(const UnloadDriver& change, DriverEdit& driver) {
  if (driver.phase() != DriverPhase::loaded) return kInvalidState;
  if (change.forced == 0 && lends_vgpus(driver.store())) return kInUse;
  for (std::uint32_t i = 0; i < driver.store().header.gpu_count; ++i) {
    const GpuSlot& slot = driver.store().gpus()[i];
    if (change.forced == 0 && present(slot) && holds_driver(slot)) return kInUse;
  }
  driver.take_way(DriverPhase::unloading);
  return kSuccess;
}

Code make(const LoadDriver&, DriverEdit& driver) {
  if (driver.phase() != DriverPhase::unloaded) return kInvalidState;
  driver.take_way(DriverPhase::loading);
  return kSuccess;
}

Code make(const FailInit& change, DriverEdit& driver) {
  driver.fail_init(change.code);
  return kSuccess;
}

void finish_driver(Store& store, const GpuInitialiser& initialiser) {
  const DriverPhase phase = driver_phase(store);
  if (phase == DriverPhase::unloading) {
    for (std::uint32_t i = 0; i < store.header.gpu_count; ++i)
      detach(store, i);
    enter(store, DriverPhase::unloaded);
  }
  if (phase == DriverPhase::loading) {
    for (std::uint32_t i = 0; i < store.header.gpu_count; ++i)
      attach(store, i, initialiser);
    __atomic_fetch_add(&store.header.driver_loads, 1, __ATOMIC_RELEASE);
    enter(store, DriverPhase::loaded);
  }
}

}  // namespace nvmlab
