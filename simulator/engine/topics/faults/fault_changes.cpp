// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/fault_changes.hpp"

#include "engine/topics/events/event_types.hpp"
#include "engine/topics/faults/fault_counters.hpp"
#include "engine/topics/faults/held_fields.hpp"

namespace nvmlab {
namespace {

constexpr std::uint16_t kRemapXid = 63;
constexpr std::uint16_t kRemapFailureXid = 64;
constexpr std::uint16_t kContainedXid = 94;
constexpr std::uint16_t kUncontainedXid = 95;

Code check_link(const GpuEdit& gpu, std::uint32_t number) {
  const std::uint32_t links = gpu.view(&Gpu::nvlink).links.size();
  return links == 0 ? kNotSupported : number < links ? kSuccess : kInvalidArgument;
}

Code check_fan(const GpuEdit& gpu, std::uint32_t number) {
  const std::uint32_t fans = gpu.view(&Gpu::thermal).fans.size();
  return fans == 0 ? kNotSupported : number < fans ? kSuccess : kInvalidArgument;
}

Code check(const InjectFault& change, const GpuEdit& gpu) {
  const FaultRow* const row = find_fault(change.kind);
  if (row == nullptr || change.times == 0 || change.times > kMostTimes) return kInvalidArgument;
  switch (row->number) {
    case FaultNumber::none:
      return change.number == 0 ? kSuccess : kInvalidArgument;
    case FaultNumber::xid:
      return find_xid(change.number) != nullptr ? kSuccess : kInvalidArgument;
    case FaultNumber::location:
      return change.number < kEccLocationCount ? kSuccess : kInvalidArgument;
    case FaultNumber::link:
      return check_link(gpu, change.number);
    case FaultNumber::fan:
      return check_fan(gpu, change.number);
  }
  return kInvalidArgument;
}

// What an Xid is about: a place in memory, or the first link.
std::uint32_t place_of(const InjectFault& change) {
  if (change.kind != FaultKind::xid) return change.number;
  return find_xid(change.number)->family == XidFamily::double_bit_sram ? kSramLocation : kDramLocation;
}

// Rows and pages are those of device memory.
void leave_out_retirement(FaultEffects& effects) {
  effects.holds &= ~(kHoldsRemapPending | kHoldsRetirementPending);
  effects.counts &= ~(kCountsRemap | kCountsRetired);
  effects.events &= ~static_cast<std::uint32_t>(kDramRetirementEvent);
  for (std::uint16_t& xid : effects.xids) {
    if (xid == kRemapXid) xid = 0;
  }
}

// There is no spare row or page left.
void fail_retirement(FaultEffects& effects, const Ecc& ecc) {
  effects.holds &= ~(kHoldsRemapPending | kHoldsRetirementPending);
  effects.counts &= ~(kCountsRemap | kCountsRetired);
  if (ecc.remap_failed.has_value()) {
    effects.holds |= kHoldsRemapFailed;
    effects.kept |= kHoldsRemapFailed;
  }
  effects.events &= ~static_cast<std::uint32_t>(kDramRetirementEvent);
  effects.events |= kDramRetirementFailureEvent;
  effects.recovery = kResetGpu;
  for (std::uint16_t& xid : effects.xids) {
    if (xid == kRemapXid) xid = kRemapFailureXid;
  }
}

// Boards that retire pages know no containment.
void leave_out_containment(FaultEffects& effects) {
  for (std::uint16_t& xid : effects.xids) {
    if (xid == kContainedXid || xid == kUncontainedXid) xid = 0;
  }
}

FaultEffects effects_on(const GpuEdit& gpu, const InjectFault& change) {
  const Ecc& ecc = gpu.view(&Gpu::ecc);
  FaultEffects effects = find_fault(change.kind)->effects;
  if (change.kind == FaultKind::xid) {
    const XidRow& xid = *find_xid(change.number);
    effects = effects_of(xid.family);
    // That another action is asked for is told of whatever changes it.
    const bool told = xid.family == XidFamily::recovery && gpu.view(&Gpu::modes).recovery_action.has_value();
    effects.xids[0] = told ? std::uint16_t{0} : xid.number;
  }
  const bool retires = (effects.counts & (kCountsRemap | kCountsRetired)) != 0;
  const bool remaps = ecc.remap_pending.has_value();
  if (!remaps && change.kind != FaultKind::xid) leave_out_containment(effects);
  if (!retires) return effects;
  const bool of_memory = change.kind == FaultKind::xid || place_of(change) == kDramLocation;
  if (!of_memory || (!remaps && !ecc.retirement_pending.has_value())) {
    if (change.kind != FaultKind::xid) leave_out_retirement(effects);
  } else if (remaps ? remapping_exhausted(ecc) : retirement_exhausted(ecc)) {
    fail_retirement(effects, ecc);
  }
  return effects;
}

void raise_events(const FaultEffects& effects, const InjectFault& change, GpuEdit& gpu) {
  Event event{.type = kXidEvent,
              .data = 0,
              .at_ns = gpu.now_ns(),
              .gpu = 0,
              .gpu_instance = change.gpu_instance,
              .compute_instance = change.compute_instance,
              .of_machine = 0};
  for (const std::uint16_t xid : effects.xids) {
    if (xid == 0) continue;
    event.data = xid;
    gpu.raised().add(event);
  }
  event.data = 0;
  for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
    event.type = effects.events & bit;
    if (event.type != 0) gpu.raised().add(event);
  }
}

ActiveFault* find_active(Faults& faults, const InjectFault& change) {
  for (ActiveFault& fault : faults) {
    if (fault.kind == static_cast<std::uint32_t>(change.kind) && fault.number == change.number &&
        fault.gpu_instance == change.gpu_instance && fault.compute_instance == change.compute_instance)
      return &fault;
  }
  return nullptr;
}

bool lasts(const ActiveFault& fault) { return fault.holds != 0 || fault.recovery != kNoRecovery || fault.refuses != 0; }

Code add_active(const ActiveFault& added, const InjectFault& change, Faults& faults) {
  ActiveFault* active = find_active(faults, change);
  if (active == nullptr) {
    if (faults.size() == kMaxFaults) return kInsufficientResources;
    active = faults.items + faults.count++;
    *active = added;
    return kSuccess;
  }
  active->times += added.times;
  active->holds |= added.holds;
  active->kept |= added.kept;
  active->recovery = added.recovery;
  active->refuses = added.refuses;
  return kSuccess;
}

// Of those that `stays` keeps, in their order.
template <class Stays>
void keep_only(Faults& faults, const Stays& stays) {
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < faults.size(); ++i) {
    if (stays(faults.items[i])) faults.items[kept++] = faults.items[i];
  }
  for (std::uint32_t i = kept; i < faults.size(); ++i)
    faults.items[i] = {};
  faults.count = kept;
}

}  // namespace

Code make(const InjectFault& change, GpuEdit& gpu) {
  if (const Code code = check(change, gpu); code != kSuccess) return code;
  const FaultEffects effects = effects_on(gpu, change);
  ActiveFault fault{.since_ns = gpu.now_ns(),
                    .counted_ns = gpu.now_ns(),
                    .kind = static_cast<std::uint32_t>(change.kind),
                    .number = change.number,
                    .gpu_instance = change.gpu_instance,
                    .compute_instance = change.compute_instance,
                    .times = change.times,
                    .holds = effects.holds,
                    .kept = effects.kept,
                    .recovery = effects.recovery,
                    .refuses = effects.refuses,
                    .missing = effects.missing ? 1u : 0u};
  fault.holds = shown(gpu, fault);
  fault.kept &= fault.holds;
  const bool counted = count_fault(gpu, effects.counts, place_of(change), change.times);
  if (change.kind != FaultKind::xid && fault.holds == 0 && !counted && effects.refuses == 0) return kNotSupported;
  raise_events(effects, change, gpu);
  return lasts(fault) ? add_active(fault, change, gpu.faults()) : kSuccess;
}

Code make(const HealFault& change, GpuEdit& gpu) {
  const std::uint32_t before = gpu.faults().size();
  keep_only(gpu.faults(), [&change](const ActiveFault& fault) {
    return !change.all && (fault.kind != static_cast<std::uint32_t>(change.kind) ||
                           (change.number != HealFault::kAnyNumber && fault.number != change.number));
  });
  return change.all || gpu.faults().size() < before ? kSuccess : kNotFound;
}

void heal_by_reset(GpuEdit& gpu) {
  keep_only(gpu.faults(), [](ActiveFault& fault) {
    if (fault.refuses == kGpuIsLost) return true;  // a reset does not reach it
    fault.holds &= fault.kept | kHeldUntilReload;
    fault.recovery = kNoRecovery;
    fault.refuses = 0;
    return fault.holds != 0;
  });
}

void heal_by_reload(GpuEdit& gpu) {
  heal_by_reset(gpu);
  keep_only(gpu.faults(), [](ActiveFault& fault) {
    fault.holds &= ~kHeldUntilReload;
    return lasts(fault);
  });
}

}  // namespace nvmlab
