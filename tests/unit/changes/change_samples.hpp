// SPDX-License-Identifier: Apache-2.0
//
// One change of each kind that there is, with arguments that the machine of killed_writer_test.cpp takes. A kind that
// has no sample() of its own gets zeros, which may be refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab::changes_test {

// Of the machine that changes are tried on: 0 runs process 4242 and has a pin, 1 drains and is cut by MIG (3g with a
// compute instance, 2g without) and lends out vGPUs, 2 was removed.
inline constexpr std::uint32_t kGpus = 3;
inline constexpr std::uint32_t kCut = 1;
inline constexpr std::uint32_t kLimit = offsetof(Gpu, power.limit_mw);

inline Fact<std::uint32_t> number(std::uint32_t value) {
  Fact<std::uint32_t> fact{};
  fact.set(value);
  return fact;
}

template <class Body>
Body with_number(Body body, std::uint32_t value) {
  const Fact<std::uint32_t> fact = number(value);
  if constexpr (requires { body.bytes; }) std::memcpy(body.bytes, &fact, sizeof fact);
  if constexpr (requires { body.value[1]; }) std::memcpy(body.value, &fact, sizeof fact);
  return body;
}

// Arguments that the machine takes; of kinds that are not listed, zeros, which it may refuse.
template <class Body>
Body sample() {
  return Body{};
}
template <>
inline WriteSetting sample() {
  return {offsetof(Gpu, modes.compute_mode), 1};
}
template <>
inline ClearCounter sample() {
  return {offsetof(Gpu, pci.replays), 0};
}
template <>
inline PutBytes sample() {
  return with_number(PutBytes{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
inline PinField sample() {
  return with_number(PinField{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
inline ReleaseField sample() {
  return {kLimit};
}
template <>
inline SetPowerLimit sample() {
  return {PowerScope::gpu, 300'000};
}
template <>
inline LockGraphicsClocks sample() {
  return {600, 1200};
}
template <>
inline LockMemoryClocks sample() {
  return {1500, 2619};
}
template <>
inline RaiseEvent sample() {
  return {kXidEvent, 79, kNoInstance, kNoInstance, false};
}
template <>
inline InjectFault sample() {
  return {FaultKind::lost, 0, kNoInstance, kNoInstance, 1};
}
template <>
inline HealFault sample() {
  return {true, FaultKind::xid, HealFault::kAnyNumber};
}
template <>
inline StartProcess sample() {
  StartProcess process{};
  process.pid = 5151;
  process.kinds = kComputeProcess;
  process.used_bytes = 1 << 30;
  process.gpu_instance = process.compute_instance = kNoInstance;
  return process;
}
template <>
inline EndProcess sample() {
  return {4242};
}
template <>
inline CreateGpuInstance sample() {
  return {19, kAnyStart, 0};
}
template <>
inline DestroyGpuInstance sample() {
  return {3, kAnySerial};
}
template <>
inline CreateComputeInstance sample() {
  return {3, kAnySerial, 1, kAnyStart};
}
template <>
inline DestroyComputeInstance sample() {
  return {2, 0, kAnySerial};
}
template <>
inline CreateVgpu sample() {
  CreateVgpu vgpu{};
  vgpu.gpu = kCut;
  vgpu.type = 1133;  // it lives in a 2g
  vgpu.placement = kAnyPlacement;
  vgpu.vm_id_type = 1;
  return vgpu;
}
template <>
inline RestorePin sample() {
  Pin pin{offsetof(Gpu, thermal.gpu_c), 8, {}, {}};
  const Fact<std::uint32_t> fact = number(77);
  std::memcpy(pin.value, &fact, sizeof fact);
  return {pin};
}
template <>
inline RestoreBytes sample() {
  return with_number(RestoreBytes{offsetof(Gpu, thermal.gpu_c), 8, {}}, 77);
}
template <>
inline UnloadDriver sample() {
  return {1};
}
template <>
inline AdvanceMachineClock sample() {
  return {1'000'000'000};
}

template <>
inline FailFunction sample() {
  FailFunction fail{};
  fail.fault.gpu = kAnyGpu;
  fail.fault.code = kGpuIsLost;
  fail.fault.every = 1;
  fail.fault.chance = kCertain;
  std::strcpy(fail.fault.function, "nvmlInit");
  return fail;
}

template <class Body>
inline constexpr bool kOfMig =
    std::is_same_v<Body, CreateGpuInstance> || std::is_same_v<Body, DestroyGpuInstance> ||
    std::is_same_v<Body, CreateComputeInstance> || std::is_same_v<Body, DestroyComputeInstance>;

template <class Body>
constexpr std::uint32_t target_of() {
  if (kOfMig<Body>) return kCut;
  return std::is_same_v<Body, RemoveGpu> ? 1 : std::is_same_v<Body, ReturnGpu> ? 2 : 0;
}

struct Sample {
  std::string kind;
  Change change;
};
template <class Body>
void add_sample(std::vector<Sample>& all) {
  const auto add = [&all](const char* of, ChangeTarget target) {
    const Change change = make_change(target, sample<Body>());
    all.push_back({std::string(of) + " " + std::to_string(change.kind), change});
  };
  if constexpr (MadeOf<Body, GpuEdit>) add("GPU", target_of<Body>());
  if constexpr (MadeOf<Body, ClockEdit>) add("clock", MachinePart::clock);
  if constexpr (MadeOf<Body, DriverEdit>) add("driver", MachinePart::driver);
  if constexpr (MadeOf<Body, FunctionEdit>) add("functions", MachinePart::functions);
  if constexpr (MadeOf<Body, VgpuEdit>) add("vgpu", MachinePart::vgpus);
}
template <class... Bodies>
void add_samples(std::vector<Sample>& all, ChangeList<Bodies...>) {
  (add_sample<Bodies>(all), ...);
}
inline std::vector<Sample> samples() {
  std::vector<Sample> all;
  add_samples(all, Changes{});
  all.push_back({"a GPU that is cut is reset", make_change(kCut, ResetGpu{})});
  all.push_back({"node", make_change(MachinePart::node, with_number(PutBytes{0, 8, {}}, 5))});
  return all;
}

}  // namespace nvmlab::changes_test
