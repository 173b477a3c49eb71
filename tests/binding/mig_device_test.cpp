// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/mig_device.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "nvmlab/nvml.hpp"
#include "nvmlab/nvml/fake.hpp"

namespace nvml {
namespace {

template <class Handle>
Handle handle(std::uintptr_t number) {
  return reinterpret_cast<Handle>(number);
}

constexpr std::uintptr_t kGpu = 0x100;

class Mig : public testing::Test {
 protected:
  Mig() {
    fake.set<&Functions::nvmlDeviceGetMaxMigDeviceCount>([](abi::nvmlDevice_t, unsigned* count) {
      *count = 7;
      return abi::NVML_SUCCESS;
    });
    // Places 1 and 4 are taken, as after instances in between were destroyed.
    fake.set<&Functions::nvmlDeviceGetMigDeviceHandleByIndex>(
        [](abi::nvmlDevice_t, unsigned index, abi::nvmlDevice_t* mig) {
          if (index != 1 && index != 4) return abi::NVML_ERROR_NOT_FOUND;
          *mig = handle<abi::nvmlDevice_t>(kGpu + index);
          return abi::NVML_SUCCESS;
        });
    fake.set<&Functions::nvmlDeviceGetDeviceHandleFromMigDeviceHandle>(
        [](abi::nvmlDevice_t, abi::nvmlDevice_t* parent) {
          *parent = handle<abi::nvmlDevice_t>(kGpu);
          return abi::NVML_SUCCESS;
        });
    fake.set<&Functions::nvmlDeviceGetGpuInstanceId>([](abi::nvmlDevice_t mig, unsigned* id) {
      *id = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(mig) - kGpu) + 10;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetComputeInstanceId>([](abi::nvmlDevice_t, unsigned* id) {
      *id = 3;
      return abi::NVML_SUCCESS;
    });
    fake.set<&Functions::nvmlDeviceGetGpuInstanceById>(
        [](abi::nvmlDevice_t whole, unsigned id, abi::nvmlGpuInstance_t* instance) {
          if (whole != handle<abi::nvmlDevice_t>(kGpu)) return abi::NVML_ERROR_INVALID_ARGUMENT;
          *instance = handle<abi::nvmlGpuInstance_t>(0x200 + id);
          return abi::NVML_SUCCESS;
        });
    fake.set<&Functions::nvmlGpuInstanceGetComputeInstanceById>(
        [](abi::nvmlGpuInstance_t instance, unsigned id, abi::nvmlComputeInstance_t* compute) {
          *compute = handle<abi::nvmlComputeInstance_t>(reinterpret_cast<std::uintptr_t>(instance) + 0x100 + id);
          return abi::NVML_SUCCESS;
        });
  }

  Fake fake;
  Device gpu{fake.library().library(), handle<abi::nvmlDevice_t>(kGpu)};
};

TEST_F(Mig, DevicesHaveNoHoles) {
  const auto all = gpu.mig_devices();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].handle(), handle<abi::nvmlDevice_t>(kGpu + 1));
  EXPECT_EQ(all[1].handle(), handle<abi::nvmlDevice_t>(kGpu + 4));
}

TEST_F(Mig, LieInAnInstanceOfTheirParent) {
  const auto all = gpu.mig_devices();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].parent_device(), gpu);
  const auto outer = all[1].gpu_instance();
  ASSERT_TRUE(outer) << outer.error().message();
  EXPECT_EQ(outer->handle(), handle<abi::nvmlGpuInstance_t>(0x200 + 14));
  const auto inner = all[1].compute_instance();
  ASSERT_TRUE(inner) << inner.error().message();
  EXPECT_EQ(inner->handle(), handle<abi::nvmlComputeInstance_t>(0x300 + 14 + 3));
}

TEST_F(Mig, AGpuThatCannotHasNone) {
  fake.set<&Functions::nvmlDeviceGetMaxMigDeviceCount>(
      [](abi::nvmlDevice_t, unsigned*) { return abi::NVML_ERROR_NOT_SUPPORTED; });
  EXPECT_TRUE(gpu.mig_devices().empty());
}

TEST_F(Mig, OneThatIsRefusedIsThereAndSaysWhy) {
  fake.set<&Functions::nvmlDeviceGetMigDeviceHandleByIndex>(
      [](abi::nvmlDevice_t, unsigned index, abi::nvmlDevice_t* mig) {
        if (index == 4) return abi::NVML_ERROR_NO_PERMISSION;
        if (index != 1) return abi::NVML_ERROR_NOT_FOUND;
        *mig = handle<abi::nvmlDevice_t>(kGpu + index);
        return abi::NVML_SUCCESS;
      });
  const auto all = gpu.mig_devices();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_FALSE(all[0].refusal());
  ASSERT_TRUE(all[1].refusal());
  EXPECT_EQ(all[1].refusal()->code(), Return::no_permission);
  EXPECT_EQ(all[1].refusal()->detail(), "MIG device 4");
  EXPECT_EQ(all[1].uuid().error(), *all[1].refusal());
  fake.set_answer<&Functions::nvmlDeviceGetMaxMigDeviceCount>(Return::gpu_is_lost);
  ASSERT_EQ(gpu.mig_devices().size(), 1U);
  EXPECT_EQ(gpu.mig_devices()[0].uuid().error().code(), Return::gpu_is_lost);
}

TEST_F(Mig, WhatFailsOnTheWaySaysWhatItWas) {
  fake.set<&Functions::nvmlDeviceGetGpuInstanceById>(
      [](abi::nvmlDevice_t, unsigned, abi::nvmlGpuInstance_t*) { return abi::NVML_ERROR_NO_PERMISSION; });
  const auto inner = gpu.mig_devices().at(0).compute_instance();
  ASSERT_FALSE(inner);
  EXPECT_EQ(inner.error().function(), "nvmlDeviceGetGpuInstanceById");
}

}  // namespace
}  // namespace nvml
