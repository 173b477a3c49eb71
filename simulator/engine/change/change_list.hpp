// SPDX-License-Identifier: Apache-2.0
// All changes that there are. Their topics say what each is for and what it contains.
#pragma once

#include <type_traits>

#include "engine/change/field_changes.hpp"
#include "engine/change/reset.hpp"
#include "engine/store/machine_clock.hpp"
#include "engine/topics/accounting/accounting_changes.hpp"
#include "engine/topics/clocks/clock_changes.hpp"
#include "engine/topics/driver/driver_load.hpp"
#include "engine/topics/ecc/ecc_changes.hpp"
#include "engine/topics/events/event_changes.hpp"
#include "engine/topics/faults/fault_changes.hpp"
#include "engine/topics/faults/function_changes.hpp"
#include "engine/topics/identity/identity_changes.hpp"
#include "engine/topics/load/load_changes.hpp"
#include "engine/topics/load/metric_curves.hpp"
#include "engine/topics/memory/memory_changes.hpp"
#include "engine/topics/mig/mig_changes.hpp"
#include "engine/topics/modes/mode_changes.hpp"
#include "engine/topics/nvlink/nvlink_changes.hpp"
#include "engine/topics/power/power_changes.hpp"
#include "engine/topics/prm/prm_changes.hpp"
#include "engine/topics/processes/process_changes.hpp"
#include "engine/topics/system/system_changes.hpp"
#include "engine/topics/thermal/thermal_changes.hpp"
#include "engine/topics/vgpu/vgpu_changes.hpp"

namespace nvmlab {

template <class... Bodies>
struct ChangeList {};

// The place in the list is the kind of a change. The drafts that its make() edits decide which targets it can have:
// GpuEdit, NodeEdit, ClockEdit, DriverEdit, FunctionEdit or VgpuEdit.
using Changes =
    ChangeList<ResetGpu, ReturnGpu, RemoveGpu, WriteSetting, ClearCounter, PutBytes, PinField, ReleaseField,
               SetPowerLimit, SetPowerSmoothing, ActivateSmoothingProfile, SetSmoothingParameter, SetPowerMizerMode,
               SetAdaptiveTgp, RequestWorkloadProfiles, SetTemperatureTarget, SetFanSpeed, SetFanPolicy,
               SetApplicationClocks, ResetApplicationClocks, SetAutoBoost, LockGraphicsClocks, UnlockGraphicsClocks,
               LockMemoryClocks, UnlockMemoryClocks, SetClockOffset, SetDramEncryption, SetApiRestriction,
               SetVirtualizationMode, SetRusdPollMask, SetMigMode, SetDrain, ClearEccCounts, SetNvlinkBandwidthMode,
               SetNvlinkLowPowerThreshold, SetNvlinkEncryptionReady, ClearNvlinkErrors, SetNvlinkCounter,
               FreezeNvlinkCounter, ClearNvlinkCounter, SetMemoryLimit, SetHostname, ClearAccounting, WritePortRegister,
               RaiseEvent, InjectFault, HealFault, StartProcess, EndProcess, SetLoad, CreateGpuInstance,
               DestroyGpuInstance, CreateComputeInstance, DestroyComputeInstance, RestoreSnapshot, RestorePin,
               RestoreBytes, HostVgpus, SetVgpuHeterogeneousMode, ResizeProcess, SetMetricCurves, SetGpusReady,
               SetKeyRotationAdvantage, SetSystemNvlinkBandwidthMode, SetUnitLights, SetMachineClock,
               ResumeMachineClock, AdvanceMachineClock, UnloadDriver, LoadDriver, FailInit, FailFunction, HealFunctions,
               CreateVgpu, EndVgpu, SetVgpuEncoderCapacity, ClearVgpuAccounting, SetVgpuScheduler, SetVgpuVersions>;

template <class Body, class... Bodies>
constexpr std::uint32_t kind_in(ChangeList<Bodies...>) {
  static_assert((std::is_same_v<Body, Bodies> || ...), "a change that is not in the list");
  std::uint32_t kind = 0;
  (void)((std::is_same_v<Body, Bodies> || (++kind, false)) || ...);
  return kind;
}

template <class Body>
inline constexpr std::uint32_t kKindOf = kind_in<Body>(Changes{});

// A change that has a make() for the draft.
template <class Body, class Draft>
concept MadeOf = requires(const Body& body, Draft& draft) {
  make(body, draft);
};

}  // namespace nvmlab
