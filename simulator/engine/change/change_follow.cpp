// SPDX-License-Identifier: Apache-2.0
#include "engine/change/change_follow.hpp"

#include "engine/change/batch.hpp"
#include "engine/change/change_notes.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {
namespace {

// Whether the GPU is there once the change is made.
bool present_after(const Change& change, bool before) {
  if (holds<RemoveGpu>(change)) return false;
  if (holds<ReturnGpu>(change)) return true;
  return holds<RestoreSnapshot>(change) ? body_of<RestoreSnapshot>(change).present != 0 : before;
}

void follow_real_process(Store& store) { __atomic_store_n(&store.header.followed, 1u, __ATOMIC_RELAXED); }

}  // namespace

void follow_presence(Store& store, GpuSlot& slot, const Change& change, GpuEdit& gpu) {
  const bool before = present(slot);
  const bool after = present_after(change, before);
  if (before == after) return;
  after ? return_gpu(&store, &slot) : remove_gpu(&store, &slot);
  gpu.raised().add({.type = after ? kDriverBindEvent : kDriverUnbindEvent,
                    .data = 0,
                    .at_ns = gpu.now_ns(),
                    .gpu = 0,
                    .gpu_instance = kNoInstance,
                    .compute_instance = kNoInstance,
                    .of_machine = 1});
}

void follow_processes(Store& store, const Change& change, const GpuEdit& gpu) {
  if (holds<StartProcess>(change)) {
    if (body_of<StartProcess>(change).start_ticks != 0) follow_real_process(store);
  } else if (restores(change)) {
    for (const auto& each : gpu.view(&Gpu::processes).running)
      if (each.start_ticks.has_value()) follow_real_process(store);
  }
}

}  // namespace nvmlab
