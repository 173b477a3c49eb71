// SPDX-License-Identifier: Apache-2.0
//
// Confidential computing, off as machines are shipped and on as a profile can have it.
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kInvalidState = 29;

// The Get and the Set struct of the key rotation threshold have one layout.
struct Threshold {
  unsigned version = 1U << 24 | 16;
  unsigned padding = 0;
  unsigned long long attacker_advantage = 0;
};
static_assert(sizeof(Threshold) == 16);

int set_threshold(unsigned long long advantage) {
  Threshold threshold;
  threshold.attacker_advantage = advantage;
  return driver().call("nvmlSystemSetConfComputeKeyRotationThresholdInfo", &threshold);
}

int set_ready(unsigned ready) { return driver().call("nvmlSystemSetConfComputeGpusReadyState", ready); }

unsigned ready() {
  unsigned state = 77;
  driver().call("nvmlSystemGetConfComputeGpusReadyState", &state);
  return state;
}

class ConfCompute : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }
  void turn_on() {
    machine.change_node([](Node& node) { node.confcompute.feature.set(1); });
  }

  SharedMachine machine{"dgx-h100"};
};

TEST_F(ConfCompute, SettingsHaveAWordEachVersion) {
  machine.change_node([](Node& node) {
    node.confcompute.environment.set(2);
    node.confcompute.feature.set(1);
    node.confcompute.multi_gpu.set(1);
    node.confcompute.tdisp.set(2);
  });
  struct {
    unsigned version, environment, feature, dev_tools, multi_gpu, tdisp;
  } settings{1U << 24 | 20, 77, 77, 77, 77, 77};
  EXPECT_EQ(driver().call("nvmlSystemGetConfComputeSettings", &settings), kSuccess);
  EXPECT_EQ(settings.environment, 2U);
  EXPECT_EQ(settings.feature, 1U);
  EXPECT_EQ(settings.dev_tools, 0U);
  EXPECT_EQ(settings.multi_gpu, 1U);
  EXPECT_EQ(settings.tdisp, 77U) << "beyond the struct";
  settings.version = 2U << 24 | 24;
  EXPECT_EQ(driver().call("nvmlSystemGetConfComputeSettings", &settings), kArgumentVersionMismatch);
  EXPECT_EQ(driver().call("nvmlSystemGetConfComputeSettings_v2", &settings), kSuccess);
  EXPECT_EQ(settings.tdisp, 2U);
}

TEST_F(ConfCompute, OffNothingCanBeArranged) {
  EXPECT_AS_ROOT([] {
    return Steps()
        .expect(set_ready(1), kNotSupported, "ready")
        .expect(set_threshold(55), kNotSupported, "threshold")
        .equal(ready(), 0, "ready")
        .said();
  });
  Threshold threshold;
  EXPECT_EQ(driver().call("nvmlSystemGetConfComputeKeyRotationThresholdInfo", &threshold), kSuccess);
  EXPECT_EQ(threshold.attacker_advantage, 60U);
}

TEST_F(ConfCompute, KeysAreArrangedBeforeWorkIsAccepted) {
  turn_on();
  EXPECT_AS_ROOT([] {
    Steps steps;
    for (const unsigned long long nonsense : {0ULL, 49ULL, 66ULL, 60ULL << 32, ~0ULL})
      steps.expect(set_threshold(nonsense), kInvalidArgument, std::to_string(nonsense));
    for (const unsigned long long good : {50ULL, 65ULL, 57ULL}) {
      Threshold threshold;
      steps.expect(set_threshold(good), kSuccess, "threshold");
      driver().call("nvmlSystemGetConfComputeKeyRotationThresholdInfo", &threshold);
      steps.equal(threshold.attacker_advantage, good, "threshold");
    }
    steps.expect(set_ready(1), kSuccess, "ready").equal(ready(), 1, "ready");
    return steps.expect(set_threshold(60), kInvalidState, "threshold when ready").said();
  });
}

// Told to stop, GPUs never accept work again.
TEST_F(ConfCompute, ReadyIsGivenUpOnce) {
  turn_on();
  EXPECT_AS_ROOT([] {
    Steps steps;
    steps.expect(set_ready(2), kInvalidArgument, "nonsense");
    steps.expect(set_ready(0), kSuccess, "not yet").equal(ready(), 0, "ready");
    steps.expect(set_ready(1), kSuccess, "ready").expect(set_ready(1), kSuccess, "again").equal(ready(), 1, "ready");
    steps.expect(set_ready(0), kSuccess, "stop").equal(ready(), 0, "ready");
    return steps.expect(set_ready(1), kInvalidArgument, "once more").equal(ready(), 0, "ready").said();
  });
}

TEST_F(ConfCompute, OnlyAdministratorsArrangeIt) {
  turn_on();
  EXPECT_EQ(as_nobody([] {
              const Word device = driver().device(0);
              return Steps()
                  .expect(set_ready(1), kNoPermission, "ready")
                  .expect(set_threshold(55), kNoPermission, "threshold")
                  .expect(set_threshold(1), kInvalidArgument, "a threshold out of range, which comes first")
                  .expect(driver().call("nvmlDeviceSetConfComputeUnprotectedMemSize", device, 1024ULL), kNoPermission,
                          "memory")
                  .said();
            }),
            "");
}

TEST_F(ConfCompute, MemoryIsProtectedOrNot) {
  struct Sizes {
    unsigned long long protected_kib = 77, unprotected_kib = 77;
  };
  const auto sizes = [] {
    Sizes found;
    EXPECT_EQ(driver().call("nvmlDeviceGetConfComputeMemSizeInfo", driver().device(0), &found), kSuccess);
    return found;
  };
  const Memory memory = machine.gpu(0).memory;
  const std::uint64_t usable = (memory.total_bytes.value - memory.reserved_bytes.value) >> 10;
  EXPECT_EQ(sizes().protected_kib, 0U);
  EXPECT_EQ(sizes().unprotected_kib, usable);
  machine.change_gpu(0, [](Gpu& gpu) { gpu.memory.protected_total_bytes.set(std::uint64_t{3} << 30); });
  EXPECT_EQ(sizes().protected_kib, 3U << 20);
  EXPECT_EQ(sizes().unprotected_kib, usable - (3U << 20));
  machine.change_gpu(0, [](Gpu& gpu) { gpu.memory.protected_total_bytes.set(~std::uint64_t{0} >> 1); });
  EXPECT_EQ(sizes().unprotected_kib, 0U) << "more than there is leaves none";
  machine.change_gpu(0, [](Gpu& gpu) { gpu.memory.protected_total_bytes.set_error(kGpuIsLost); });
  Sizes untouched;
  EXPECT_EQ(driver().call("nvmlDeviceGetConfComputeMemSizeInfo", driver().device(0), &untouched), kGpuIsLost);
  EXPECT_EQ(untouched.protected_kib, 77U);
  EXPECT_AS_ROOT([] {
    return Steps()
        .expect(driver().call("nvmlDeviceSetConfComputeUnprotectedMemSize", driver().device(0), 1024ULL), kGpuIsLost,
                "a lost GPU")
        .expect(driver().call("nvmlDeviceSetConfComputeUnprotectedMemSize", driver().device(1), 1024ULL), kSuccess,
                "memory")
        .said();
  });
}

}  // namespace
}  // namespace nvmlab::driver_test
