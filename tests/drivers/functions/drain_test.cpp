// SPDX-License-Identifier: Apache-2.0
//
// Draining, removing and discovering GPUs, seen by the process that does it, by one that holds handles, and by one that
// starts later. Two boards: what happens to the first must leave the second alone.
#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kInUse = 19;

class Drain : public Board {
 protected:
  void SetUp() override {
    Board::SetUp();
    second = driver.device(1);
    ASSERT_EQ(driver.call("nvmlDeviceGetPciInfo_v3", gpu, &place), kSuccess);
  }
  int drain(int state) { return driver.call("nvmlDeviceModifyDrainState", &place, state); }
  int drained() {
    int state = 77;
    EXPECT_EQ(driver.call("nvmlDeviceQueryDrainState", &place, &state), kSuccess);
    return state;
  }
  int remove(int link = 0) { return driver.call("nvmlDeviceRemoveGpu_v2", &place, 1, link); }
  int discover(bool everywhere = true) {
    abi::nvmlPciInfo_t where = place;
    if (everywhere) where = {};
    return driver.call("nvmlDeviceDiscoverGpus", &where);
  }
  int persistence(int mode) { return driver.call("nvmlDeviceSetPersistenceMode", gpu, mode); }
  int get_temperature(Word device) {
    unsigned celsius = 0;
    return driver.call("nvmlDeviceGetTemperature", device, 0, &celsius);
  }
  unsigned index_of(Word device) {
    unsigned index = 77;
    return driver.call("nvmlDeviceGetIndex", device, &index) == kSuccess ? index : 88;
  }

  Word second = 0;
  abi::nvmlPciInfo_t place{};
};

TEST_F(Drain, HidesTheGpuFromWhoComesLater) {
  EXPECT_EQ(drained(), 0);
  ASSERT_EQ(drain(1), kSuccess);
  EXPECT_EQ(drained(), 1);
  EXPECT_EQ(driver.count(), 2U) << "this process was there before";
  EXPECT_EQ(index_of(second), 1U);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(driver.count(), 1U);
  EXPECT_EQ(driver.device(0), second);
  EXPECT_EQ(index_of(second), 0U);
  EXPECT_EQ(driver.device(1), 0U);
  Word found = 0;
  EXPECT_EQ(driver.call("nvmlDeviceGetHandleByPciBusId_v2", place.busId, &found), kNotFound);
  EXPECT_EQ(drained(), 1) << "asked by address";
  ASSERT_EQ(play("root"), kSuccess);
  ASSERT_EQ(drain(0), kSuccess);
  EXPECT_EQ(driver.count(), 1U) << "until it starts over";
  ASSERT_EQ(play("root"), kSuccess);
  EXPECT_EQ(driver.count(), 2U);
}

TEST_F(Drain, RefusesWhatIsInUseAndWhatIsNoGpu) {
  ASSERT_EQ(persistence(1), kSuccess);
  EXPECT_EQ(drain(1), kInUse);
  ASSERT_EQ(persistence(0), kSuccess);
  EXPECT_EQ(remove(), kInUse) << "not draining";
  ASSERT_EQ(drain(1), kSuccess);
  ASSERT_EQ(persistence(1), kSuccess);
  EXPECT_EQ(remove(), kInUse);
  ASSERT_EQ(persistence(0), kSuccess);
  machine.change_gpu(0, [](Gpu& state) {
    state.processes.running.count = 1;
    state.processes.running[0].pid.set(4242);
  });
  EXPECT_EQ(remove(), kInUse);
  EXPECT_EQ(driver.count(), 2U);
  EXPECT_EQ(drain(2), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlDeviceRemoveGpu_v2", &place, 2, 0), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlDeviceRemoveGpu_v2", &place, 1, 2), kInvalidArgument);
  place.bus ^= 1;
  int state = 0;
  EXPECT_EQ(drain(1), kInvalidArgument);
  EXPECT_EQ(remove(), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlDeviceQueryDrainState", &place, &state), kInvalidArgument);
}

TEST_F(Drain, RemovingTakesOneGpuAndLeavesTheOther) {
  ASSERT_EQ(drain(1), kSuccess);
  ASSERT_EQ(driver.call("nvmlDeviceRemoveGpu", &place), kSuccess);
  EXPECT_EQ(driver.count(), 1U);
  EXPECT_EQ(driver.device(0), second);
  EXPECT_EQ(index_of(second), 0U);
  EXPECT_EQ(get_temperature(second), kSuccess);
  EXPECT_EQ(get_temperature(gpu), kInvalidArgument) << "its handle is dead";
  EXPECT_EQ(get_temperature(0), kInvalidArgument) << "no handle is not that of a GPU without one";
  int state = 0;
  EXPECT_EQ(driver.call("nvmlDeviceQueryDrainState", &place, &state), kInvalidArgument);
  EXPECT_EQ(in_child([&]() -> std::string {  // a process of its own sees the same
              driver.init();
              return std::to_string(driver.count());
            }),
            "1");
}

TEST_F(Drain, DiscoveredGpusComeBackInitialisedAnew) {
  ASSERT_EQ(driver.call("nvmlDeviceSetComputeMode", gpu, 3), kSuccess);
  ASSERT_EQ(driver.call("nvmlDeviceSetGpuLockedClocks", gpu, 990, 990), kSuccess);
  ASSERT_EQ(driver.call("nvmlDeviceSetEccMode", gpu, 0), kSuccess);
  ASSERT_EQ(drain(1), kSuccess);
  ASSERT_EQ(remove(), kSuccess);
  ASSERT_EQ(discover(), kSuccess);
  ASSERT_EQ(driver.count(), 2U);
  const Word back = driver.device(0);
  EXPECT_NE(back, gpu) << "the old handle stays dead";
  EXPECT_EQ(get_temperature(gpu), kInvalidArgument);
  EXPECT_EQ(get_temperature(back), kSuccess);
  EXPECT_EQ(driver.device(1), second);
  EXPECT_EQ(drained(), 0);
  const Gpu state = machine.gpu(0);
  EXPECT_EQ(state.modes.compute_mode.value, 0U);
  EXPECT_EQ(state.clocks.graphics_mhz.value, 345U);
  EXPECT_EQ(state.ecc.mode.value, 0U) << "what was pending is in force";
  unsigned uptime = 77;
  ASSERT_EQ(driver.call("nvmlDeviceGetGpuUptime_v1", back, &uptime), kSuccess);
  EXPECT_LE(uptime, 2U);
}

TEST_F(Drain, DiscoveryLooksAtOnePlaceOrEverywhere) {
  ASSERT_EQ(drain(1), kSuccess);
  ASSERT_EQ(remove(), kSuccess);
  abi::nvmlPciInfo_t elsewhere = place;
  elsewhere.bus ^= 1;
  EXPECT_EQ(driver.call("nvmlDeviceDiscoverGpus", &elsewhere), kSuccess);
  EXPECT_EQ(driver.count(), 1U);
  EXPECT_EQ(discover(false), kSuccess);
  EXPECT_EQ(driver.count(), 2U);
  ASSERT_EQ(drain(1), kSuccess);
  ASSERT_EQ(remove(1), kSuccess) << "with its link";
  EXPECT_EQ(driver.count(), 1U);
  EXPECT_EQ(discover(), kSuccess);
  EXPECT_EQ(driver.count(), 2U);
}

TEST_F(Drain, IsRoots) {
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(drain(1), kNoPermission);
  EXPECT_EQ(remove(), kNoPermission);
  EXPECT_EQ(discover(), kNoPermission);
  EXPECT_EQ(drained(), 0);
}

}  // namespace
}  // namespace nvmlab::driver_test
