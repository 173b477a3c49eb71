// SPDX-License-Identifier: Apache-2.0
// Methods that answer a text.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::device_of;
using nvmlab::binding_test::driver_error;

TEST(TextMethod, EndsAtTheFirstNul) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetName>([](abi::nvmlDevice_t, char* name, unsigned length) {
    std::memset(name, 'x', length);
    std::strcpy(name, "NVIDIA H100");
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).name().value(), "NVIDIA H100");
}

TEST(TextMethod, EndsWithTheRoomWhereThereIsNoNul) {
  Fake fake;
  unsigned offered = 0;
  fake.set<&Functions::nvmlDeviceGetUUID>([&](abi::nvmlDevice_t, char* uuid, unsigned length) {
    std::memset(uuid, 'u', offered = length);
    return abi::NVML_SUCCESS;
  });
  const auto uuid = device_of(fake).uuid();
  EXPECT_EQ(uuid.value(), std::string(offered, 'u'));
  EXPECT_GE(offered, abi::DEVICE_UUID_BUFFER_SIZE);
}

TEST(TextMethod, RefusalsAndAbsence) {
  Fake fake;
  EXPECT_EQ(device_of(fake).name().error().origin(), Origin::symbol);
  fake.set_answer<&Functions::nvmlDeviceGetName>(Return::not_supported);
  EXPECT_EQ(device_of(fake).name().error(), driver_error(abi::NVML_ERROR_NOT_SUPPORTED, "nvmlDeviceGetName"));
}

TEST(TextMethod, WithoutALength) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetGspFirmwareVersion>([](abi::nvmlDevice_t, char* version) {
    std::strcpy(version, "580.82");
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).gsp_firmware_version().value(), "580.82");
}

// The function tells how much it wants; the second time it gets that.
TEST(TextMethod, LongerThanTheStackAllows) {
  Fake fake;
  const std::string whole(5000, 'm');
  fake.set<&Functions::nvmlDeviceGetPgpuMetadataString>([&](abi::nvmlDevice_t, char* text, unsigned* size) {
    const unsigned offered = std::exchange(*size, static_cast<unsigned>(whole.size()) + 1);
    if (offered <= whole.size()) return abi::NVML_ERROR_INSUFFICIENT_SIZE;
    std::strcpy(text, whole.c_str());
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).vgpu_metadata_string().value(), whole);
}

TEST(TextMethod, AFunctionThatNeverHasEnoughEnds) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetPgpuMetadataString>([](abi::nvmlDevice_t, char*, unsigned* size) {
    *size += 100;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  });
  EXPECT_EQ(device_of(fake).vgpu_metadata_string().error(),
            driver_error(abi::NVML_ERROR_INSUFFICIENT_SIZE, "nvmlDeviceGetPgpuMetadataString"));
}

TEST(TextMethod, TextThatGoesIn) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetHandleByUUID>([](const char* uuid, abi::nvmlDevice_t* device) {
    if (std::string_view{uuid} != "GPU-1") return abi::NVML_ERROR_NOT_FOUND;
    *device = nvmlab::binding_test::device_handle(0x30);
    return abi::NVML_SUCCESS;
  });
  const LibraryMethods library{fake.library().library()};
  EXPECT_EQ(library.device_by_uuid("GPU-1").value(), device_of(fake, 0x30));
  EXPECT_EQ(library.device_by_uuid("GPU-2").error(),
            driver_error(abi::NVML_ERROR_NOT_FOUND, "nvmlDeviceGetHandleByUUID"));
}

TEST(TextMethod, TheLibrarysOwnTextOfACode) {
  Fake fake;
  fake.set<&Functions::nvmlErrorString>(
      [](abi::nvmlReturn_t code) { return code == abi::NVML_ERROR_TIMEOUT ? "Timeout" : "?"; });
  const LibraryMethods library{fake.library().library()};
  EXPECT_EQ(library.error_string(Return::timeout).value(), "Timeout");
  fake.remove<&Functions::nvmlErrorString>();
  EXPECT_EQ(library.error_string(Return::timeout).error().origin(), Origin::symbol);
}

TEST(TextMethod, AVirtualMachineHasANameAndItsKind) {
  Fake fake;
  fake.set<&Functions::nvmlVgpuInstanceGetVmID>(
      [](abi::nvmlVgpuInstance_t, char* id, unsigned, abi::nvmlVgpuVmIdType_t* type) {
        std::strcpy(id, "a-b-c");
        *type = abi::NVML_VGPU_VM_ID_UUID;
        return abi::NVML_SUCCESS;
      });
  const VgpuInstance instance{fake.library().library(), 3};
  EXPECT_EQ(instance.vm_id().value(), (VmId{"a-b-c", static_cast<VgpuVmIdType>(abi::NVML_VGPU_VM_ID_UUID)}));
}

}  // namespace
}  // namespace nvml
