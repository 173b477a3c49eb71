// SPDX-License-Identifier: Apache-2.0
#include "command/machine/change_text.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

#include "engine/change/change.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::tool {
namespace {

LogEntry entry_of(const Change& change) {
  LogEntry entry{};
  entry.target = change.target;
  entry.kind = static_cast<std::uint16_t>(change.kind);
  std::memcpy(entry.body, change.body, sizeof entry.body);
  return entry;
}
template <class Body>
std::string line(const Body& body) {
  return line_of(text_of(entry_of(make_change(0, body))));
}

template <class Body>
constexpr std::uint32_t offset_of(Body Gpu::*topic) {
  return static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, topic));
}

TEST(ChangeText, NamesAndArgumentsAreThoseOfTheDeclaration) {
  EXPECT_EQ(line(SetPowerLimit{PowerScope::module, 300000}), "set-power-limit scope=module milliwatts=300000");
  EXPECT_EQ(line(SetClockOffset{OffsetDomain::memory, 2, -50}), "set-clock-offset domain=memory pstate=2 mhz=-50");
  EXPECT_EQ(line(UnlockGraphicsClocks{}), "unlock-graphics-clocks");
  EXPECT_EQ(line(SetHostname{"node7"}), "set-hostname name=node7");
  EXPECT_EQ(line(SetSmoothingParameter{1, 2, 0.5}), "set-smoothing-parameter profile=1 parameter=2 value=0.5");
  EXPECT_EQ(line(ClearEccCounts{ClearEccCounts::Life::aggregate_counts}), "clear-ecc-counts life=aggregate_counts");
  EXPECT_EQ(line(SetMemoryLimit{1, 2, "/a/b"}), "set-memory-limit soft_bytes=1 hard_bytes=2 cgroup=/a/b");
  EXPECT_EQ(line(WritePortRegister{9, 3, {1, 0, 255}}), "write-port-register id=9 size=3 content=0100ff");
  RequestWorkloadProfiles request{};
  request.profiles.add(3);
  request.profiles.add(40);
  EXPECT_EQ(line(request), "request-workload-profiles join=replace profiles=[3,40]");
  EXPECT_EQ(line_of(text_of(entry_of(make_change(MachinePart::node, SetUnitLights{1})))), "set-unit-lights color=1");
}

TEST(ChangeText, ProcessesAndEvents) {
  StartProcess start{};
  start.pid = 42;
  start.kinds = 1;
  start.gpu_instance = start.compute_instance = kNoInstance;
  std::strcpy(start.name, "train");
  EXPECT_EQ(line(start),
            "start-process pid=42 kinds=1 used_bytes=0 start_ticks=0 pid_namespace=0 sm_percent=0 memory_percent=0 "
            "name=train")
      << "instances that there are none of are left out";
  EXPECT_EQ(line(RaiseEvent{kXidEvent, 79, kNoInstance, kNoInstance, false}), "raise-event event=xid 79");
}

TEST(ChangeText, SnapshotsThatComeBack) {
  EXPECT_EQ(line(RestoreSnapshot{0xabc, 1, 2, 400}),
            "restore-snapshot snapshot=0000000000000abc present=true pins=2 places=400");
  Fact<std::uint32_t> limit{};
  limit.set(300000);
  RestoreBytes bytes{offsetof(Gpu, power.limit_mw), sizeof limit, {}};
  std::memcpy(bytes.bytes, &limit, sizeof limit);
  EXPECT_EQ(line(bytes), "restore power.limit_mw=300000");
  RestorePin pin{{offsetof(Gpu, power.limit_mw), sizeof limit, {}, {}}};
  std::memcpy(pin.pin.value, &limit, sizeof limit);
  EXPECT_EQ(line(pin), "restore-pin power.limit_mw=300000");
}

TEST(ChangeText, FieldsByTheirPlace) {
  Fact<std::int32_t> hot;
  hot.set(91);
  const std::uint32_t at =
      offset_of(&Gpu::thermal) + static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, &Thermal::gpu_c));
  PutBytes put{at, sizeof hot, {}};
  std::memcpy(put.bytes, &hot, sizeof hot);
  EXPECT_EQ(line(put), "set thermal.gpu_c=91");
  PinField pin{at, sizeof hot, {}};
  std::memcpy(pin.value, &hot, sizeof hot);
  EXPECT_EQ(line(pin), "pin thermal.gpu_c=91");
  EXPECT_EQ(line(ReleaseField{at}), "release thermal.gpu_c");
  EXPECT_EQ(line(ClearCounter{at, 0}), "clear thermal.gpu_c");
  const std::uint32_t text =
      offset_of(&Gpu::identity) + static_cast<std::uint32_t>(__builtin_bit_cast(std::uint64_t, &Identity::name));
  EXPECT_EQ(line(PutBytes{text + 8, 8, {}}), "set identity.name") << "known in part";
}

// Of a damaged log, or of another build.
TEST(ChangeText, WhatIsNoChangeIsANumber) {
  LogEntry entry{};
  entry.kind = 999;
  EXPECT_EQ(line_of(text_of(entry)), "change-999");
  PutBytes put{0xFFFFFFF0, 0xFFFFFFF0, {}};
  EXPECT_EQ(line(put), "set");
}

}  // namespace
}  // namespace nvmlab::tool
