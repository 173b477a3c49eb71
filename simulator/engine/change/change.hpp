// SPDX-License-Identifier: Apache-2.0
//
// The one door through which the state of a machine changes: an NVML setter, `nvmlab set`, a reset or whatever else
// asks for something is a Change, and apply() makes it by the rules of its topic, so that what follows from it follows
// everywhere. What a change is about and what it takes, engine/topics/<topic>/*_changes.hpp say.
//
// A Change is a trivially copyable record without pointers. Tests: tests/unit/changes/pins_test.cpp.
#pragma once

#include <cstring>
#include <type_traits>

#include "engine/change/field_changes.hpp"
#include "engine/state/code.hpp"
#include "engine/store/lock.hpp"
#include "engine/store/machine_clock.hpp"
#include "engine/topics/accounting/accounting_changes.hpp"
#include "engine/topics/clocks/clock_changes.hpp"
#include "engine/topics/driver/driver_load.hpp"
#include "engine/topics/ecc/ecc_changes.hpp"
#include "engine/topics/events/event_changes.hpp"
#include "engine/topics/events/kernel_log.hpp"
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
#include "engine/change/reset.hpp"
#include "engine/topics/system/system_changes.hpp"
#include "engine/topics/thermal/thermal_changes.hpp"
#include "engine/topics/vgpu/vgpu_changes.hpp"

namespace nvmlab {

template <class... Bodies>
struct ChangeList {};

// All there are. The place in the list is the kind of a change.
using GpuChanges =
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
               RestoreBytes, HostVgpus, SetVgpuHeterogeneousMode, ResizeProcess, SetMetricCurves>;
using NodeChanges = ChangeList<PutBytes, PinField, ReleaseField, SetGpusReady, SetKeyRotationAdvantage,
                               SetSystemNvlinkBandwidthMode, SetUnitLights, RestoreSnapshot, RestorePin, RestoreBytes>;
using ClockChanges = ChangeList<SetMachineClock, ResumeMachineClock, AdvanceMachineClock>;
using DriverChanges = ChangeList<UnloadDriver, LoadDriver, FailInit>;
using FunctionChanges = ChangeList<FailFunction, HealFunctions>;
using VgpuChanges =
    ChangeList<CreateVgpu, EndVgpu, SetVgpuEncoderCapacity, ClearVgpuAccounting, SetVgpuScheduler, SetVgpuVersions>;

inline constexpr std::uint32_t kNoKind = ~std::uint32_t{0};

template <class Body, class... Bodies>
constexpr std::uint32_t kind_in(ChangeList<Bodies...>) {
  std::uint32_t kind = 0;
  const bool found = ((std::is_same_v<Body, Bodies> || (++kind, false)) || ...);
  return found ? kind : kNoKind;
}

struct Change {
  // Longer than a cache line or two because the path of a control group and a port register are.
  static constexpr std::uint32_t kCapacity = 288;

  std::uint32_t kind;
  std::uint32_t gpu;  // its index, or kWholeNode, kMachineClock, kKernelDriver, kFunctions or kVgpuHost
  alignas(8) std::uint8_t body[kCapacity];
};

inline constexpr std::uint32_t kWholeNode = ~std::uint32_t{0};
inline constexpr std::uint32_t kMachineClock = kWholeNode - 1;
inline constexpr std::uint32_t kKernelDriver = kWholeNode - 2;
inline constexpr std::uint32_t kFunctions = kWholeNode - 3;
inline constexpr std::uint32_t kVgpuHost = kWholeNode - 4;
constexpr bool is_gpu(std::uint32_t target) { return target < kVgpuHost; }
static_assert(std::is_trivially_copyable_v<Change> && sizeof(Change) <= 304);

template <class List, class Body>
Change make_change(std::uint32_t target, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= Change::kCapacity);
  static_assert(kind_in<Body>(List{}) != kNoKind);
  Change change{kind_in<Body>(List{}), target, {}};
  std::memcpy(change.body, &body, sizeof body);
  return change;
}

template <class Body>
Change gpu_change(std::uint32_t gpu, const Body& body) {
  return make_change<GpuChanges>(gpu, body);
}

template <class Body>
Change node_change(const Body& body) {
  return make_change<NodeChanges>(kWholeNode, body);
}

template <class Body>
Change clock_change(const Body& body) {
  return make_change<ClockChanges>(kMachineClock, body);
}

template <class Body>
Change driver_change(const Body& body) {
  return make_change<DriverChanges>(kKernelDriver, body);
}

template <class Body>
Change function_change(const Body& body) {
  return make_change<FunctionChanges>(kFunctions, body);
}

template <class Body>
Change vgpu_change(const Body& body) {
  return make_change<VgpuChanges>(kVgpuHost, body);
}

// A machine as somebody changes it.
struct MachineAccess {
  Store& store;
  StoreFile& file;
  bool administrator;                   // may do what NVML asks root for
  KernelLogFile* kernel_log = nullptr;  // where lines of Xids go in place of the machine's own log

  std::uint32_t gpu_count() const { return file.shared() ? file.gpu_count : store.header.gpu_count; }
};

// The result of apply().
struct Applied {
  Code code = kSuccess;
  std::uint32_t failed = 0;  // of several changes, the index of the one that was rejected
  Created created{};         // what a single change created
};

// Takes the store's lock, makes the change and publishes it, or leaves everything as it was: also where the lock is not
// to be had (WriteLock::code()), the machine was taken down meanwhile, or the driver of a GPU is not loaded
// (kDriverNotLoaded). Errors come in the order
// of NVML's: what is not supported, what is out of range, permission, and last what the state of the machine forbids.
// Each Xid that the change raises also becomes a line of the kernel log (engine/topics/events/kernel_log.hpp).
Applied apply(MachineAccess& machine, const Change& change);

// The same for several changes, all of them or none. Those of one GPU become visible at once. `created`, if not null,
// has one item for each change.
Applied apply(MachineAccess& machine, const Change* changes, std::uint32_t count, Created* created = nullptr);

// As above, for a caller that has the lock already because its changes depend on what it has read.
Applied apply(MachineAccess& machine, const WriteLock& lock, const Change* changes, std::uint32_t count,
              Created* created = nullptr);

}  // namespace nvmlab
