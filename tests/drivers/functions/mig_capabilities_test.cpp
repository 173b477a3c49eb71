// SPDX-License-Identifier: Apache-2.0
//
// What the two capabilities of MIG allow to somebody who is not root, function by function: one of them to change
// layouts, the other to look at all instances.
#include <array>

#include "tests/drivers/functions/support/board.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned k3g = 9, k1g = 19;

// A GPU instance with a compute instance, made by root; handles stay good whoever uses them.
class MigCapabilities : public Board {
 protected:
  MigCapabilities() : Board("dgx-h100") {}
  void SetUp() override {
    Board::SetUp();
    abi::nvmlReturn_t status = abi::NVML_ERROR_UNKNOWN;
    ASSERT_EQ(call("nvmlDeviceSetMigMode", 1U, &status), kSuccess);
    ASSERT_EQ(call("nvmlDeviceCreateGpuInstance", k3g, &large), kSuccess);
    ASSERT_EQ(driver.call("nvmlGpuInstanceCreateComputeInstance", large, 0U, &filling), kSuccess);
  }

  // Makes and destroys one of each kind, beside those of root.
  void expect_changes(int expected) const {
    Word made = 0;
    EXPECT_EQ(driver.call("nvmlGpuInstanceCreateComputeInstance", large, 0U, &made), expected);
    EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", expected == kSuccess ? made : filling), expected);
    EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", k1g, &made), expected);
    EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", expected == kSuccess ? made : large), expected);
    const abi::nvmlGpuInstancePlacement_t place{0, 1};
    EXPECT_EQ(call("nvmlDeviceCreateGpuInstanceWithPlacement", k1g, &place, &made), expected);
    if (expected == kSuccess) {
      EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", made), kSuccess);
    }
    const abi::nvmlComputeInstancePlacement_t slice{2, 1};
    EXPECT_EQ(driver.call("nvmlGpuInstanceCreateComputeInstanceWithPlacement", large, 0U, &slice, &made), expected);
    if (expected == kSuccess) {
      EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", made), kSuccess);
    }
  }
  // What is there on the GPU, over all instances.
  void expect_sight_of_all(int expected) const {
    std::array<Word, 7> handles{};
    unsigned count = 0;
    EXPECT_EQ(call("nvmlDeviceGetGpuInstances", k3g, handles.data(), &count), expected);
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", 2U, handles.data()), expected);
    abi::nvmlMemory_t memory{};
    EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", &memory), expected);
    abi::nvmlBAR1Memory_t bar1{};
    EXPECT_EQ(call("nvmlDeviceGetBAR1MemoryInfo", &bar1), expected);
    EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", &count, static_cast<void*>(nullptr)), expected);
  }
  // What can be made, and what a handle is of.
  void expect_sight_of_layout(int expected) const {
    unsigned number = 0;
    EXPECT_EQ(call("nvmlDeviceGetGpuInstanceRemainingCapacity", k1g, &number), expected);
    EXPECT_EQ(call("nvmlDeviceGetGpuInstancePossiblePlacements_v2", k1g, static_cast<void*>(nullptr), &number),
              expected);
    abi::nvmlGpuInstanceInfo_t of_gpu{};
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetInfo", large, &of_gpu), expected);
    abi::nvmlComputeInstanceInfo_t of_compute{};
    EXPECT_EQ(driver.call("nvmlComputeInstanceGetInfo_v2", filling, &of_compute), expected);
    abi::nvmlComputeInstanceProfileInfo_t profile{};
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", large, 0U, 0U, &profile), expected);
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceRemainingCapacity", large, 0U, &number), expected);
    std::array<Word, 7> handles{};
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstances", large, 0U, handles.data(), &number), expected);
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceById", large, 0U, handles.data()), expected);
  }
  // What takes root whatever capabilities somebody has.
  void expect_no_more() const {
    abi::nvmlReturn_t status{};
    EXPECT_EQ(call("nvmlDeviceSetMigMode", 0U, &status), kNoPermission);
    EXPECT_EQ(call("nvmlDeviceSetPowerManagementLimit", 300'000U), kNoPermission);
  }

  Word large = 0;
  Word filling = 0;
};

TEST_F(MigCapabilities, OfConfigLetOneChangeTheLayout) {
  ASSERT_EQ(play("mig-config"), kSuccess);
  expect_changes(kSuccess);
  expect_sight_of_layout(kSuccess);
  expect_sight_of_all(kNoPermission);
  expect_no_more();
}

TEST_F(MigCapabilities, OfMonitorLetOneLookAtAllInstances) {
  ASSERT_EQ(play("mig-monitor"), kSuccess);
  expect_changes(kNoPermission);
  expect_sight_of_layout(kSuccess);
  expect_sight_of_all(kSuccess);
  expect_no_more();
}

TEST_F(MigCapabilities, AddUp) {
  ASSERT_EQ(play("mig-monitor,mig-config"), kSuccess);
  expect_changes(kSuccess);
  expect_sight_of_layout(kSuccess);
  expect_sight_of_all(kSuccess);
  expect_no_more();
}

TEST_F(MigCapabilities, AreNoUsers) {
  ASSERT_EQ(play("user"), kSuccess);
  expect_changes(kNoPermission);
  expect_sight_of_layout(kNoPermission);
  expect_sight_of_all(kNoPermission);
  ASSERT_EQ(play("root"), kSuccess);
  expect_changes(kSuccess);
  expect_sight_of_layout(kSuccess);
  expect_sight_of_all(kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
