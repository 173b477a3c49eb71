// SPDX-License-Identifier: Apache-2.0
// Methods that a person wrote, against what their C functions got and wrote.
#include <gtest/gtest.h>

#include <cstring>

#include "nvmlab/abi/generated/struct_versions.hpp"
#include "tests/binding/support/fake_objects.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

class HandMethods : public testing::Test {
 protected:
  static abi::nvmlReturn_t address_of_old(abi::nvmlPciInfo_t& info) {
    std::strcpy(info.busIdLegacy, "0000:3B:00.0");
    info.domain = 0;
    info.bus = 0x3B;
    info.device = 0;
    info.pciDeviceId = 0x20B010DE;
    info.pciSubSystemId = 0x134F10DE;
    return abi::NVML_SUCCESS;
  }
  static void expect_address(const Result<PciInfo>& info) {
    ASSERT_TRUE(info) << info.error().message();
    EXPECT_EQ(info->bus_id, "0000:3B:00.0");
    EXPECT_EQ(info->bus, 0x3BU);
    EXPECT_EQ(info->pci_device_id, 0x20B010DEU);
    EXPECT_EQ(info->pci_subsystem_id, 0x134F10DEU);
  }
  Fake fake;
  Device device = device_of(fake);
};

TEST_F(HandMethods, AddressesOfThreeAges) {
  fake.set<&Functions::nvmlDeviceGetPciInfo>(
      [](abi::nvmlDevice_t, abi::nvmlPciInfo_t* info) { return address_of_old(*info); });
  fake.set<&Functions::nvmlDeviceGetPciInfo_v2>(
      [](abi::nvmlDevice_t, abi::nvmlPciInfo_t* info) { return address_of_old(*info); });
  fake.set<&Functions::nvmlDeviceGetNvLinkRemotePciInfo>(
      [](abi::nvmlDevice_t, unsigned link, abi::nvmlPciInfo_t* info) {
        return link == 5 ? address_of_old(*info) : abi::NVML_ERROR_INVALID_ARGUMENT;
      });
  expect_address(device.pci_info_v1());
  expect_address(device.pci_info_v2());
  expect_address(device.pci_info());
  expect_address(device.nvlink_remote_pci_info_v1(5));
  expect_address(device.nvlink_remote_pci_info(5));
}

TEST_F(HandMethods, BytesOfAGpuThatTakesVgpus) {
  fake.set<&Functions::nvmlDeviceGetVgpuMetadata>(
      [](abi::nvmlDevice_t, abi::nvmlVgpuPgpuMetadata_t* data, unsigned* size) -> abi::nvmlReturn_t {
        const unsigned needed = sizeof *data + 700;
        const unsigned offered = *size;
        *size = needed;
        if (offered < needed) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
        std::memset(static_cast<void*>(data), 0, needed);
        data->version = 2;
        data->revision = 9;
        std::strcpy(data->hostDriverVersion, "550.54");
        data->hostSupportedVgpuRange = {3, 17};
        data->opaqueDataSize = 700;
        std::memset(data->opaqueData, 'p', 700);
        return abi::NVML_SUCCESS;
      });
  const auto metadata = device.vgpu_metadata();
  ASSERT_TRUE(metadata) << metadata.error().message();
  EXPECT_EQ(metadata->version, 2U);
  EXPECT_EQ(metadata->revision, 9U);
  EXPECT_EQ(metadata->host_driver_version, "550.54");
  EXPECT_EQ(metadata->host_supported_range.max_version, 17U);
  EXPECT_EQ(metadata->opaque_data, std::vector<std::uint8_t>(700, 'p'));
  std::vector<std::byte> room(sizeof(abi::nvmlVgpuPgpuMetadata_t) + 700);
  const auto bytes = device.vgpu_metadata(room);
  ASSERT_TRUE(bytes) << bytes.error().message();
  EXPECT_EQ(bytes->size(), room.size());
  EXPECT_EQ(room[sizeof(abi::nvmlVgpuPgpuMetadata_t)], std::byte{'p'});
}

TEST_F(HandMethods, PlacesThatAreStillFree) {
  const auto list = [](abi::nvmlVgpuTypeId_t type, auto& c) {
    c.placementSize = type * 10;
    const unsigned offered = c.count;
    c.count = 2;
    if (offered < 2) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    c.placementIds[0] = 4;
    c.placementIds[1] = 12;
    return abi::NVML_SUCCESS;
  };
  fake.set<&Functions::nvmlDeviceGetVgpuTypeCreatablePlacements>(
      [=](abi::nvmlDevice_t, abi::nvmlVgpuTypeId_t type, abi::nvmlVgpuPlacementList_t* c) { return list(type, *c); });
  fake.set<&Functions::nvmlGpuInstanceGetVgpuTypeCreatablePlacements>(
      [=](abi::nvmlGpuInstance_t, abi::nvmlVgpuCreatablePlacementInfo_t* c) {
        if (c->version != abi::version_of<abi::nvmlVgpuCreatablePlacementInfo_v1_t>)
          return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
        return list(c->vgpuTypeId, *c);
      });
  const VgpuType type{fake.library().library(), 6};
  EXPECT_EQ(device.vgpu_type_creatable_placements(type, false).value(), (VgpuPlacements{60, {4, 12}}));
  const GpuInstance instance{fake.library().library(), reinterpret_cast<abi::nvmlGpuInstance_t>(std::uintptr_t{0x20})};
  EXPECT_EQ(instance.vgpu_type_creatable_placements(type).value(), (VgpuPlacements{60, {4, 12}}));
  unsigned room[2] = {};
  for (const auto& lent :
       {device.vgpu_type_creatable_placements(type, false, room), instance.vgpu_type_creatable_placements(type, room)})
    EXPECT_EQ((VgpuPlacements{lent.value().size, {lent->ids.begin(), lent->ids.end()}}), (VgpuPlacements{60, {4, 12}}));
}

TEST_F(HandMethods, ContextOfAnEvent) {
  fake.set<&Functions::nvmlEventSetCreate>([](abi::nvmlEventSet_t* set) {
    *set = reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x50});
    return abi::NVML_SUCCESS;
  });
  fake.set_answer<&Functions::nvmlEventSetFree>(Return{abi::NVML_SUCCESS});
  fake.set<&Functions::nvmlEventSetGetContextInfo_v1>(
      [](abi::nvmlEventSet_t, abi::nvmlEventSetGetContextInfo_v1_t* info) {
        info->dataSize = 4 + info->index;
        return abi::NVML_SUCCESS;
      });
  fake.set<&Functions::nvmlEventSetGetContextData_v1>(
      [](abi::nvmlEventSet_t, abi::nvmlEventSetGetContextData_v1_t* request) {
        if (request->index != 2 || request->dataSize != 6) return abi::NVML_ERROR_INVALID_ARGUMENT;
        std::memcpy(request->data, "events", 6);
        return abi::NVML_SUCCESS;
      });
  const auto data = fake.library().create_event_set().value().context_data(2);
  ASSERT_TRUE(data) << data.error().message();
  EXPECT_EQ(std::string(data->begin(), data->end()), "events");
}

TEST_F(HandMethods, ASampleIsFreedWithItsLastCopy) {
  const auto handle = reinterpret_cast<abi::nvmlGpmSample_t>(std::uintptr_t{0x70});
  std::vector<abi::nvmlGpmSample_t> freed;
  fake.set<&Functions::nvmlGpmSampleAlloc>([=](abi::nvmlGpmSample_t* sample) {
    *sample = handle;
    return abi::NVML_SUCCESS;
  });
  fake.set<&Functions::nvmlGpmSampleFree>([&](abi::nvmlGpmSample_t sample) {
    freed.push_back(sample);
    return abi::NVML_SUCCESS;
  });
  {
    const GpmSample sample = fake.library().create_gpm_sample().value();
    const GpmSample copy = sample;
    EXPECT_EQ(copy.handle(), handle);
    EXPECT_TRUE(freed.empty());
  }
  EXPECT_EQ(freed, std::vector{handle});
}

TEST_F(HandMethods, EventsOfTheSystem) {
  const auto handle = reinterpret_cast<abi::nvmlSystemEventSet_t>(std::uintptr_t{0x60});
  abi::nvmlSystemRegisterEventRequest_t got{};
  fake.set<&Functions::nvmlSystemEventSetCreate>([=](abi::nvmlSystemEventSetCreateRequest_t* request) {
    if (request->version != abi::version_of<abi::nvmlSystemEventSetCreateRequest_v1_t>)
      return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    request->set = handle;
    return abi::NVML_SUCCESS;
  });
  fake.set_answer<&Functions::nvmlSystemEventSetFree>(Return{abi::NVML_SUCCESS});
  fake.set<&Functions::nvmlSystemRegisterEvents>([&](abi::nvmlSystemRegisterEventRequest_t* request) {
    got = *request;
    return abi::NVML_SUCCESS;
  });
  const auto set = fake.library().create_system_event_set();
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(set->handle(), handle);
  EXPECT_TRUE(set->register_events(SystemEventTypes{3}));
  EXPECT_EQ(got.version, abi::version_of<abi::nvmlSystemRegisterEventRequest_v1_t>);
  EXPECT_EQ(got.set, handle);
  EXPECT_EQ(got.eventTypes, 3U);
}

TEST_F(HandMethods, TheBranchOfTheDriver) {
  fake.set<&Functions::nvmlSystemGetDriverBranch>([](abi::nvmlSystemDriverBranchInfo_t* info, unsigned length) {
    if (info->version != abi::version_of<abi::nvmlSystemDriverBranchInfo_v1_t> || length != sizeof info->branch)
      return abi::NVML_ERROR_INVALID_ARGUMENT;
    std::strcpy(info->branch, "r570_00");
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(fake.library().driver_branch().value(), "r570_00");
}

}  // namespace
}  // namespace nvmlab::binding_test
