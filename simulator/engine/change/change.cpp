// SPDX-License-Identifier: Apache-2.0
#include "engine/change/change.hpp"

#include "engine/change/batch.hpp"
#include "engine/change/change_events.hpp"
#include "engine/change/change_follow.hpp"
#include "engine/change/change_notes.hpp"
#include "engine/change/vgpu_holds.hpp"
#include "engine/change/written_fields.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/events/following_events.hpp"
#include "engine/topics/faults/held_fields.hpp"
#include "engine/topics/generated/derived_fields.hpp"
#include "engine/topics/load/motion.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"
#include "engine/topics/vgpu/vgpu_processes.hpp"

namespace nvmlab {
namespace {

// Where a change is put together before it is published; the WriteLock keeps it to one thread at a time.
Gpu gpu_scratch;
Node node_scratch;
FunctionFaults function_scratch;
Overlay overlay;

// Most changes take root. What the topics open to others, they say by an overload of their own.
template <class Body, class Draft>
bool open_to_all(const Body&, const Draft&) {
  return false;
}
bool open_to_all(const SetPowerMizerMode&, const GpuEdit&) { return true; }  // whoever sits at the machine may

// What the state of the machine forbids comes after permission.
bool forbidden_by_state(Code code) {
  return code == kSuccess || code == kInUse || code == kMemory || code == kInsufficientResources ||
         code == kInvalidState;
}

template <class Body, class Draft>
Code make_permitted(const Body& body, Draft& draft, bool administrator) {
  const bool permitted = administrator || open_to_all(body, draft);
  const Code code = make(body, draft);
  return permitted || !forbidden_by_state(code) ? code : kNoPermission;
}

template <class Body, class Draft>
Code make_body(const Change& change, Draft& draft, bool administrator) {
  if constexpr (MadeOf<Body, Draft>) {
    return make_permitted(body_of<Body>(change), draft, administrator);
  } else {
    return kInvalidArgument;
  }
}

template <class Draft, class... Bodies>
Code make_one(const Change& change, Draft& draft, bool administrator, ChangeList<Bodies...>) {
  Code code = kInvalidArgument;
  (void)((holds<Bodies>(change) && (code = make_body<Bodies>(change, draft, administrator), true)) || ...);
  return code;
}

// A derived field is held by what it is derived from, which may lie in several topics; few are, so the GPU is copied
// whole for those alone.
bool hold_derived(GpuEdit& gpu, const Pin& pin) {
  return derived::is_derived(pin.offset) && derived::hold(gpu.edit_all(), pin.offset, pin.value);
}
bool hold_derived(NodeEdit&, const Pin&) { return false; }

// A pin stays on top of what the change has done; what it has done lies beneath.
template <class State>
void impose_pins(Edit<State>& draft) {
  Pins& pins = draft.pins();
  for (std::uint32_t i = 0; i < pins.size(); ++i) {
    Pin& pin = pins.items[i];
    const unsigned char* const now = draft.view_at(pin.offset);
    if (now == nullptr || pin.size > sizeof pin.value) continue;
    if (std::memcmp(now, draft.before_at(pin.offset), pin.size) != 0) std::memcpy(pin.under, now, pin.size);
    if (hold_derived(draft, pin)) continue;
    std::memcpy(draft.edit_at(pin.offset), pin.value, pin.size);
  }
}

// All changes of one target, in one draft.
template <class Draft>
Code make_all(Draft& draft, Batch& batch, ChangeTarget target, bool administrator) {
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    if (batch.changes[i].target != target) continue;
    batch.failed = i;
    overlay.created = {};
    if (const Code code = make_one(batch.changes[i], draft, administrator, Changes{}); code != kSuccess) return code;
    if (batch.created != nullptr) batch.created[i] = overlay.created;
  }
  return follow_batch(draft, batch, target);
}

Code make_for_clock(MachineAccess& machine, Batch& batch, bool publish) {
  ClockEdit draft(machine.store.clock);
  const Code code = make_all(draft, batch, MachinePart::clock, machine.administrator);
  if (code == kSuccess && publish) draft.publish();
  return code;
}

void follow_on_gpu(const MachineAccess& machine, std::uint32_t index) {
  GpuSlot& slot = machine.store.gpus()[index];
  if (!present(slot)) return;
  GpuEdit draft(slot, gpu_scratch, overlay, machine_time_ns(machine.store.clock));
  lift_faults(draft);
  settle(draft);
  follow_vgpus(machine.store, index, draft);
  begin_segment(draft);
  impose_pins(draft);
  if (!impose_faults(draft)) return;
  set_in_motion(draft);
  draft.publish();
}

// What vGPUs hold of their GPUs.
void finish_vgpus(const MachineAccess& machine) {
  if (!vgpus_unfollowed(machine.store)) return;
  for (std::uint32_t gpu = 0; gpu < machine.gpu_count(); ++gpu) {
    if (hosts_vgpus(machine.store, gpu)) follow_on_gpu(machine, gpu);
  }
  NodeEdit node(machine.store.node, node_scratch, overlay);
  node.edit(&Node::vgpu).unfollowed.set(0);
  node.publish();
}

Code make_for_node(MachineAccess& machine, Batch& batch, bool publish) {
  const std::uint32_t first = batch.failed;
  NodeEdit draft(machine.store.node, node_scratch, overlay);
  const Code code = make_all(draft, batch, MachinePart::node, machine.administrator);
  if (code != kSuccess || !publish) return code;
  if (!restores(batch.changes[first])) {
    if (draft.view(&Node::vgpu).instances.size() > 0) draft.edit(&Node::vgpu).unfollowed.set(1);
    impose_pins(draft);
  }
  draft.publish();
  finish_vgpus(machine);
  return kSuccess;
}

Code make_for_gpu(MachineAccess& machine, Batch& batch, std::uint32_t index, bool publish) {
  if (index >= machine.gpu_count()) return kInvalidArgument;
  GpuSlot& slot = machine.store.gpus()[index];
  const Change& first = batch.changes[batch.failed];
  const bool returns = holds<ReturnGpu>(first);
  const bool restored = restores(first);
  if (!present(slot) && !returns && !restored) return kGpuIsLost;  // removed since somebody looked at it
  if (present(slot) && returns) return kSuccess;
  if (const Code code = held_by_vgpus(machine.store, index, batch.changes, batch.count, &batch.failed);
      code != kSuccess)
    return code == kInUse && !machine.administrator ? kNoPermission : code;
  GpuEdit draft(slot, gpu_scratch, overlay, machine_time_ns(machine.store.clock));
  const std::uint32_t recovery = recovery_action(draft);
  if (!restored) {
    lift_faults(draft);
    settle(draft);
    settle_curves(draft);
  }
  if (const Code code = make_all(draft, batch, index, machine.administrator); code != kSuccess) return code;
  if (!restored) {
    begin_segment(draft);
    impose_pins(draft);
    if (!impose_faults(draft)) return kInsufficientResources;
    set_in_motion(draft);
    follow_curves(draft);
    raise_recovery(machine.store, draft, recovery);
  }
  if (!publish) return kSuccess;
  draft.publish();
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    if (batch.changes[i].target != index) continue;
    follow_presence(machine.store, slot, batch.changes[i], draft);
    follow_processes(machine.store, batch.changes[i], draft);
  }
  follow_faults(&machine.store, &slot);
  publish_events(machine.store, draft, index, recovery, KernelLog(machine.store, machine.file, machine.kernel_log));
  return kSuccess;
}

// Of a GPU that the driver finds again when it is loaded.
void initialise_gpu(void* machine, std::uint32_t index) {
  const Change change = make_change(index, ReturnGpu{});
  Batch batch{&change, 1, 0};
  make_for_gpu(*static_cast<MachineAccess*>(machine), batch, index, true);
}

// vGPUs end before the driver lets go of their GPUs, which then hold nothing of theirs. Whoever finishes what a killed
// writer has begun does it again where none is left.
void end_vgpus(const MachineAccess& machine) {
  NodeEdit node(machine.store.node, node_scratch, overlay);
  VgpuEdit draft{node, machine.store};
  if (!end_all_vgpus(draft)) return;
  node.publish();
}

void finish_driver(MachineAccess& machine) {
  if (driver_phase(machine.store) == DriverPhase::unloading) {
    end_vgpus(machine);
    finish_vgpus(machine);
  }
  finish_driver(machine.store, {initialise_gpu, &machine});
}

Code make_for_driver(MachineAccess& machine, Batch& batch, bool publish) {
  DriverEdit draft(machine.store);
  const Code code = make_all(draft, batch, MachinePart::driver, machine.administrator);
  if (code != kSuccess || !publish) return code;
  draft.publish();
  finish_driver(machine);
  return kSuccess;
}

Code make_for_functions(MachineAccess& machine, Batch& batch, bool publish) {
  FunctionEdit draft(machine.store, function_scratch);
  const Code code = make_all(draft, batch, MachinePart::functions, machine.administrator);
  if (code == kSuccess && publish) draft.publish(machine.file.shared());
  return code;
}

Code make_for_vgpus(MachineAccess& machine, Batch& batch, bool publish) {
  NodeEdit node(machine.store.node, node_scratch, overlay, machine_time_ns(machine.store.clock));
  VgpuEdit draft{node, machine.store};
  if (const Code code = make_all(draft, batch, MachinePart::vgpus, machine.administrator); code != kSuccess)
    return code;
  impose_pins(node);
  if (!publish) return kSuccess;
  node.publish();
  finish_vgpus(machine);
  return kSuccess;
}

Code make_for(MachineAccess& machine, Batch& batch, ChangeTarget target, bool publish) {
  switch (target.part) {
    case MachinePart::clock:
      return make_for_clock(machine, batch, publish);
    case MachinePart::driver:
      return make_for_driver(machine, batch, publish);
    case MachinePart::functions:
      return make_for_functions(machine, batch, publish);
    case MachinePart::node:
      return make_for_node(machine, batch, publish);
    case MachinePart::vgpus:
      return make_for_vgpus(machine, batch, publish);
    case MachinePart::gpu:
      if (driver_phase(machine.store) != DriverPhase::loaded) return kDriverNotLoaded;
      return make_for_gpu(machine, batch, target.gpu, publish);
  }
  return kInvalidArgument;
}

Code make_batch(MachineAccess& machine, Batch& batch, bool publish) {
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    if (taken_along(batch, i)) continue;
    batch.failed = i;
    const Code code = make_for(machine, batch, batch.changes[i].target, publish);
    if (code != kSuccess) return code;
  }
  return kSuccess;
}

}  // namespace

Applied apply(MachineAccess& machine, const WriteLock& lock, const Change* changes, std::uint32_t count,
              Created* created) {
  Batch batch{changes, count, 0, created};
  if (lock.code() != kSuccess && lock.code() != kNoPermission) return {lock.code()};
  if (taken_down(machine.store)) return {kGpuIsLost};
  if (lock.code() == kNoPermission) {  // what is wrong with the change itself comes first
    const Code code = make_batch(machine, batch, false);
    return {code == kSuccess ? kNoPermission : code, batch.failed};
  }
  const std::uint64_t raised = events_raised(machine.store.events);
  follow_function_faults(&machine.store);
  finish_driver(machine);
  finish_vgpus(machine);
  // Of several targets, none is changed before all have agreed.
  Code code = one_target(batch) ? kSuccess : make_batch(machine, batch, false);
  if (code == kSuccess) code = make_batch(machine, batch, true);
  if (count > 0 && machine.file.shared()) note_changes(machine.store, changes, count, batch.failed, code);
  if (code == kSuccess) announce(&machine.store, machine.file.shared());
  if (events_raised(machine.store.events) != raised) wake_waiters(&machine.store.events, machine.file.shared());
  return {code, batch.failed};
}

Applied apply(MachineAccess& machine, const Change* changes, std::uint32_t count, Created* created) {
  const WriteLock lock(&machine.file);
  return apply(machine, lock, changes, count, created);
}

Applied apply(MachineAccess& machine, const Change& change) {
  Created created{};
  Applied applied = apply(machine, &change, 1, &created);
  applied.created = created;
  return applied;
}

}  // namespace nvmlab
