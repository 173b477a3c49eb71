// SPDX-License-Identifier: Apache-2.0
// Structs of which the caller gives a part, structs that hold a list, and blocks of bytes, by the methods that use
// them.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/binding/support/fake_objects.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;  // and not the compiler's
using abi::nvmlReturn_t;

class Keyed : public testing::Test {
 protected:
  Fake fake;
  Device device = device_of(fake);
};

TEST_F(Keyed, TheKeyGoesInAndTheOneOtherMemberComesOut) {
  fake.set<&Functions::nvmlDeviceGetFanSpeedRPM>([](abi::nvmlDevice_t, abi::nvmlFanSpeedInfo_t* info) {
    if (info->version != abi::version_of<abi::nvmlFanSpeedInfo_v1_t>) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    info->speed = 1000 + info->fan;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device.fan_speed_rpm(2).value(), Rpm{1002});
  fake.set_answer<&Functions::nvmlDeviceGetFanSpeedRPM>(Return{abi::NVML_ERROR_NOT_SUPPORTED});
  EXPECT_EQ(device.fan_speed_rpm(2).error(), driver_error(abi::NVML_ERROR_NOT_SUPPORTED, "nvmlDeviceGetFanSpeedRPM"));
  fake.remove<&Functions::nvmlDeviceGetFanSpeedRPM>();
  EXPECT_EQ(device.fan_speed_rpm(2).error().origin(), Origin::symbol);
}

TEST_F(Keyed, TwoKeysAndTheWholeStruct) {
  fake.set<&Functions::nvmlDeviceGetClockOffsets>([](abi::nvmlDevice_t, abi::nvmlClockOffset_t* info) {
    info->clockOffsetMHz = -static_cast<int>(info->type);
    info->maxClockOffsetMHz = static_cast<int>(info->pstate);
    return abi::NVML_SUCCESS;
  });
  const auto offset = device.clock_offset(ClockType::memory, Pstate::p5);
  ASSERT_TRUE(offset);
  EXPECT_EQ(offset->offset, MegahertzOffset{-2});
  EXPECT_EQ(offset->max_offset, MegahertzOffset{5});
}

TEST_F(Keyed, TheObjectItselfIsAKey) {
  fake.set<&Functions::nvmlVgpuTypeGetMaxInstancesPerGpuInstance>([](abi::nvmlVgpuTypeMaxInstance_t* info) {
    info->maxInstancePerGI = info->vgpuTypeId * 2;
    return abi::NVML_SUCCESS;
  });
  const VgpuType type{fake.library().library(), 21};
  EXPECT_EQ(type.max_instances_per_gpu_instance().value(), 42U);
}

TEST_F(Keyed, AStructHoldsTheList) {
  fake.set<&Functions::nvmlDeviceGetProcessesUtilizationInfo>(
      [](abi::nvmlDevice_t, abi::nvmlProcessesUtilizationInfo_t* info) -> nvmlReturn_t {
        if (info->version != abi::version_of<abi::nvmlProcessesUtilizationInfo_v1_t>)
          return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
        if (info->lastSeenTimeStamp == 9) return abi::NVML_ERROR_NOT_FOUND;
        const unsigned offered = info->processSamplesCount;
        info->processSamplesCount = 100;
        if (offered < 100) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
        for (unsigned i = 0; i < 100; ++i) {
          info->procUtilArray[i] = {};
          info->procUtilArray[i].pid = i;
        }
        return abi::NVML_SUCCESS;
      });
  const auto all = device.processes_utilization(Timestamp{});
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->size(), 100U);
  EXPECT_EQ(all->back().pid, 99U);
  EXPECT_TRUE(device.processes_utilization(Timestamp{std::chrono::microseconds{9}}).value().empty());
  std::vector<ProcessUtilization> room(99);
  const auto little = device.processes_utilization(Timestamp{}, room);
  EXPECT_EQ(little.error().code(), Return{abi::NVML_ERROR_INSUFFICIENT_SIZE});
  EXPECT_EQ(*little.error().shortage(), (Shortage{99, 100}));
  room.resize(100);
  EXPECT_EQ(device.processes_utilization(Timestamp{}, room).value().size(), 100U);
  EXPECT_EQ(room, *all);
}

// The list has no way to ask, so the profile that has the id says how many there can be.
TEST_F(Keyed, InstancesOfAProfileAreAtMostWhatItSays) {
  fake.set<&Functions::nvmlDeviceGetGpuInstanceProfileInfo>(
      [](abi::nvmlDevice_t, unsigned number, abi::nvmlGpuInstanceProfileInfo_t* info) -> nvmlReturn_t {
        if (number > 3) return abi::NVML_ERROR_INVALID_ARGUMENT;
        info->id = 19 - number;
        info->instanceCount = 4 + number;
        return abi::NVML_SUCCESS;
      });
  fake.set<&Functions::nvmlDeviceGetGpuInstances>(
      [](abi::nvmlDevice_t, unsigned profile, abi::nvmlGpuInstance_t* room, unsigned* count) {
        *count = 23 - profile;  // as many as there can be
        for (unsigned i = 0; i < *count; ++i)
          room[i] = reinterpret_cast<abi::nvmlGpuInstance_t>(std::uintptr_t{0x100} + i);
        return abi::NVML_SUCCESS;
      });
  for (const unsigned profile : {19U, 18U, 16U}) {
    const auto all = device.gpu_instances(profile);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->size(), 23 - profile);
    std::vector<GpuInstance> room(22 - profile);
    EXPECT_FALSE(device.gpu_instances(profile, room)) << "one too few would be written beyond";
    room.resize(23 - profile);
    EXPECT_TRUE(device.gpu_instances(profile, room));
    EXPECT_EQ(room, *all);
  }
}

TEST_F(Keyed, BytesBehindAStruct) {
  static unsigned told;
  fake.set<&Functions::nvmlVgpuInstanceGetMetadata>(
      [](abi::nvmlVgpuInstance_t, abi::nvmlVgpuMetadata_t* data, unsigned* size) -> nvmlReturn_t {
        const unsigned needed = sizeof *data + 3000;
        const unsigned offered = *size;
        *size = needed;
        if (offered < needed) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
        std::memset(static_cast<void*>(data), 0, needed);
        data->revision = 4;
        data->opaqueDataSize = told;
        data->opaqueData[0] = 'x';
        return abi::NVML_SUCCESS;
      });
  const VgpuInstance instance{fake.library().library(), 5};
  told = 3000;
  const auto metadata = instance.metadata();
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->revision, 4U);
  ASSERT_EQ(metadata->opaque_data.size(), 3000U);
  EXPECT_EQ(metadata->opaque_data[0], 'x');
  told = 1'000'000;
  EXPECT_EQ(instance.metadata().error().origin(), Origin::binding) << "it says that there is more than was written";
}

TEST_F(Keyed, AnEventHasItsDevice) {
  fake.set<&Functions::nvmlEventSetCreate>([](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x50});
    return abi::NVML_SUCCESS;
  });
  fake.set_answer<&Functions::nvmlEventSetFree>(Return{abi::NVML_SUCCESS});
  fake.set<&Functions::nvmlEventSetWait_v2>([](abi::nvmlEventSet_t set, abi::nvmlEventData_t* data, unsigned timeout) {
    if (set != reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x50})) return abi::NVML_ERROR_INVALID_ARGUMENT;
    *data = {device_handle(), abi::EventTypeXidCriticalError, timeout, 3, 0xFFFFFFFF};
    return abi::NVML_SUCCESS;
  });
  fake.set<&Functions::nvmlDeviceGetIndex>([](abi::nvmlDevice_t asked, unsigned* index) {
    *index = asked == device_handle() ? 7 : 0;
    return abi::NVML_SUCCESS;
  });
  const auto set = fake.library().create_event_set();
  ASSERT_TRUE(set) << set.error().message();
  const auto event = set->wait(std::chrono::milliseconds{79});
  ASSERT_TRUE(event) << event.error().message();
  EXPECT_EQ(event->device, device_of(fake));
  EXPECT_EQ(event->device.index(), 7U) << "it can be asked";
  EXPECT_EQ(event->type, nvml::EventType::xid_critical_error);
  EXPECT_EQ(event->data, 79U);
  EXPECT_EQ(event->xid, nvml::Xid{79});
  EXPECT_EQ(event->gpu_instance_id, 3U);
  EXPECT_EQ(event->compute_instance_id, std::nullopt);
}

TEST_F(Keyed, AnEventOfOldHasNoInstances) {
  fake.set<&Functions::nvmlEventSetCreate>([](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x50});
    return abi::NVML_SUCCESS;
  });
  fake.set_answer<&Functions::nvmlEventSetFree>(Return{abi::NVML_SUCCESS});
  fake.set<&Functions::nvmlEventSetWait>([](abi::nvmlEventSet_t, abi::nvmlEventData_t* data, unsigned timeout) {
    data->eventData = timeout;
    return abi::NVML_SUCCESS;
  });
  const auto set = fake.library().create_event_set();
  ASSERT_TRUE(set) << set.error().message();
  const auto event = set->wait(std::chrono::milliseconds{79});
  ASSERT_TRUE(event) << event.error().message();
  EXPECT_EQ(event->data, 79U);
  EXPECT_EQ(event->gpu_instance_id, std::nullopt);
}

}  // namespace
}  // namespace nvmlab::binding_test
