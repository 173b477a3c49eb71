// SPDX-License-Identifier: Apache-2.0
// NVLink beyond plain reads: counters that are set up and cleared, modes, and links that an older driver does not see.
#include <gtest/gtest.h>

#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

std::string every_counter() { return (source_folder() / "tests/drivers/functions/data/every-counter.yaml").string(); }

class NvLink : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }
  SharedMachine machine{every_counter()};
};

TEST_F(NvLink, AUtilizationCounterIsSetUpFrozenAndReset) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    const Word gpu = driver().device(0);
    unsigned long long rx = 0;
    unsigned long long tx = 0;
    unsigned control[2] = {};
    const auto get = [&](unsigned link, unsigned counter) {
      return driver().call("nvmlDeviceGetNvLinkUtilizationCounter", gpu, link, counter, &rx, &tx);
    };
    steps.expect(get(1, 1), kSuccess, "read").equal(rx, 30, "rx").equal(tx, 40, "tx");
    steps.expect(get(1, 2), kInvalidArgument, "a third counter").expect(get(2, 0), kNotSupported, "a third link");
    control[0] = 0;
    control[1] = 6;
    steps.expect(driver().call("nvmlDeviceSetNvLinkUtilizationControl", gpu, 1, 1, control, 0), kSuccess, "set up");
    steps.expect(get(1, 1), kSuccess, "read again").equal(rx, 30, "rx kept without reset");
    control[0] = control[1] = 99;
    steps.expect(driver().call("nvmlDeviceGetNvLinkUtilizationControl", gpu, 1, 1, control), kSuccess, "ask");
    steps.equal(control[0], 0, "units").equal(control[1], 6, "filter");
    control[0] = 3;
    steps.expect(driver().call("nvmlDeviceSetNvLinkUtilizationControl", gpu, 1, 1, control, 0), kInvalidArgument,
                 "reserved units");
    steps.expect(driver().call("nvmlDeviceFreezeNvLinkUtilizationCounter", gpu, 1, 1, 1), kSuccess, "freeze");
    steps.expect(driver().call("nvmlDeviceFreezeNvLinkUtilizationCounter", gpu, 1, 1, 2), kInvalidArgument, "freeze 2");
    steps.expect(driver().call("nvmlDeviceResetNvLinkUtilizationCounter", gpu, 1, 1), kSuccess, "reset");
    steps.expect(get(1, 1), kSuccess, "read").equal(rx + tx, 0, "after reset");
    return steps.expect(get(1, 0), kSuccess, "the other").equal(rx, 10, "its rx").said();
  });
  EXPECT_EQ(machine.gpu(0).nvlink.links[1].counters[1].frozen.value, 1U);
}

TEST_F(NvLink, ErrorsOfOneLinkAreReset) {
  const Word gpu = driver().device(0);
  ASSERT_EQ(driver().call("nvmlDeviceResetNvLinkErrorCounters", gpu, 0), kSuccess);
  EXPECT_EQ(driver().call("nvmlDeviceResetNvLinkErrorCounters", gpu, 2), kNotSupported);
  EXPECT_EQ(driver().call("nvmlDeviceResetNvLinkErrorCounters", gpu, 36), kInvalidArgument);
  for (unsigned counter = 0; counter < 5; ++counter) {
    unsigned long long count = 99;
    ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkErrorCounter", gpu, 0, counter, &count), kSuccess);
    EXPECT_EQ(count, 0U);
    ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkErrorCounter", gpu, 1, counter, &count), kSuccess);
    EXPECT_EQ(count, counter + 1) << "the other link keeps its errors";
  }
}

struct BandwidthMode {  // nvmlNvlinkGetBwMode_v1_t and nvmlNvlinkSetBwMode_v1_t
  unsigned version;
  unsigned best;
  unsigned char mode;
};

TEST_F(NvLink, BandwidthModesAreThoseOfTheList) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    const Word gpu = driver().device(0);
    BandwidthMode mode{sizeof(BandwidthMode) | 1U << 24, 9, 9};
    const auto get = [&] { return driver().call("nvmlDeviceGetNvlinkBwMode", gpu, &mode); };
    const auto set = [&](unsigned best, unsigned char value) {
      mode.best = best;
      mode.mode = value;
      return driver().call("nvmlDeviceSetNvlinkBwMode", gpu, &mode);
    };
    steps.expect(get(), kSuccess, "get").equal(mode.mode, 3, "mode").equal(mode.best, 0, "best");
    steps.expect(set(0, 4), kInvalidArgument, "a mode that the board lacks").expect(set(0, 1), kSuccess, "set");
    steps.expect(get(), kSuccess, "get").equal(mode.mode, 1, "mode");
    steps.expect(set(1, 0), kSuccess, "the best").expect(get(), kSuccess, "get");
    steps.equal(mode.mode, 5, "the best mode").equal(mode.best, 1, "that it is the best");
    unsigned async[3] = {0, 3, 0};
    steps.expect(driver().call("nvmlDeviceSetNvlinkBwModeAsync_v1", gpu, async), kSuccess, "without waiting");
    steps.equal(async[2], 1500, "time to poll").expect(get(), kSuccess, "get").equal(mode.mode, 3, "mode");
    struct {
      unsigned version;
      unsigned char modes[23];
      unsigned char count;
    } supported{28 | 1U << 24, {}, 0};
    static_assert(sizeof supported == 28);
    steps.expect(driver().call("nvmlDeviceGetNvlinkSupportedBwModes", gpu, &supported), kSuccess, "list");
    return steps.equal(supported.count, 3, "count").equal(supported.modes[2], 5, "last").said();
  });
}

TEST_F(NvLink, TheLowPowerThresholdHasARangeAndADefault) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    const auto set = [](unsigned threshold) {
      return driver().call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", driver().device(0), &threshold);
    };
    return steps.expect(set(1), kInvalidArgument, "too low")
        .expect(set(51), kInvalidArgument, "too high")
        .expect(set(50), kSuccess, "highest")
        .said();
  });
  EXPECT_EQ(machine.gpu(0).nvlink.low_power_threshold.value, 50U);
  EXPECT_AS_ROOT([] {
    unsigned threshold = 0xFFFFFFFF;
    return Steps()
        .expect(driver().call("nvmlDeviceSetNvLinkDeviceLowPowerThreshold", driver().device(0), &threshold), kSuccess,
                "default")
        .said();
  });
  EXPECT_EQ(machine.gpu(0).nvlink.low_power_threshold.value, 9U);
}

TEST_F(NvLink, FirmwareAndEncryptionInThreeVersions) {
  const Word gpu = driver().device(0);
  unsigned v1[2] = {8 | 1U << 24, 9};
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkInfo", gpu, v1), kSuccess);
  EXPECT_EQ(v1[1], 1U);
  struct Firmware {
    unsigned kind, major, minor, sub_minor;
  };
  struct {
    unsigned version, enabled;
    Firmware firmware[100];
    unsigned count;
  } v2{};
  v2.version = sizeof v2 | 2U << 24;
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkInfo", gpu, &v2), kSuccess);
  EXPECT_EQ(v2.count, 2U);
  EXPECT_EQ(v2.firmware[1].kind & 0xFF, 2U);
  EXPECT_EQ(v2.firmware[1].sub_minor, 6U);
  struct {
    unsigned enabled;
    Firmware firmware[100];
    unsigned count, ready;
  } v3{};
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkInfo_v3", gpu, &v3), kSuccess);
  EXPECT_EQ(v3.ready, 0U);
  EXPECT_AS_ROOT([gpu] {
    unsigned char ready = 1;
    return Steps().expect(driver().call("nvmlDeviceSetNvlinkNvleReady_v1", gpu, &ready), kSuccess, "ready").said();
  });
  ASSERT_EQ(driver().call("nvmlDeviceGetNvLinkInfo_v3", gpu, &v3), kSuccess);
  EXPECT_EQ(v3.ready, 1U);
  EXPECT_EQ(v3.count, 2U);
}

TEST(NvLinkOfMachines, TheBandwidthModeOfAMachineWithHoppersIsForRoot) {
  const SharedMachine machine("dgx-h100");
  ASSERT_EQ(driver().init(), kSuccess);
  EXPECT_AS_ROOT([] {
    Steps steps;
    unsigned mode = 99;
    steps.expect(driver().call("nvmlSystemGetNvlinkBwMode", &mode), kSuccess, "get").equal(mode, 0, "full");
    steps.expect(driver().call("nvmlSystemSetNvlinkBwMode", 5), kInvalidArgument, "no mode");
    steps.expect(driver().call("nvmlSystemSetNvlinkBwMode", 3), kSuccess, "half");
    steps.expect(driver().call("nvmlSystemGetNvlinkBwMode", &mode), kSuccess, "get").equal(mode, 3, "half");
    return steps.said();
  });
  EXPECT_EQ(as_nobody([] {
              unsigned mode = 0;
              return Steps()
                  .expect(driver().call("nvmlSystemGetNvlinkBwMode", &mode), kNoPermission, "get")
                  .expect(driver().call("nvmlSystemSetNvlinkBwMode", 0), kNoPermission, "set")
                  .said();
            }),
            "");
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

// nvidia-smi 470 gives up at a thirteenth link; a driver of its time has none to give.
TEST(NvLinkOfMachines, OlderDriversSeeTwelveLinks) {
  for (const auto& [version, links, beyond] :
       {std::tuple{"470", 12U, 12U}, std::tuple{"535", 18U, 18U}, std::tuple{"999.0", 18U, 36U}}) {
    const SharedMachine machine("dgx-h100", version);
    ASSERT_EQ(driver().init(), kSuccess);
    const Word gpu = driver().device(0);
    unsigned active = 0;
    EXPECT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, links - 1, &active), kSuccess) << version;
    EXPECT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, beyond, &active), kInvalidArgument) << version;
    if (beyond > links) {
      EXPECT_EQ(driver().call("nvmlDeviceGetNvLinkState", gpu, links, &active), kNotSupported) << version;
    }
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }
}

TEST(NvLinkOfMachines, ShippedBoardsHaveNoneOfTheRest) {
  for (const char* profile : {"dgx-a100", "dgx-h100", "g4dn-xlarge"}) {
    const SharedMachine machine(profile);
    ASSERT_EQ(driver().init(), kSuccess);
    const Word gpu = driver().device(0);
    unsigned long long count[2] = {};
    BandwidthMode mode{sizeof(BandwidthMode) | 1U << 24, 0, 0};
    unsigned info[2] = {8 | 1U << 24, 0};
    EXPECT_EQ(driver().call("nvmlDeviceGetNvLinkUtilizationCounter", gpu, 0, 0, &count[0], &count[1]), kNotSupported);
    EXPECT_EQ(driver().call("nvmlDeviceGetNvlinkBwMode", gpu, &mode), kNotSupported) << profile;
    EXPECT_EQ(driver().call("nvmlDeviceGetNvLinkInfo", gpu, info), kNotSupported) << profile;
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
