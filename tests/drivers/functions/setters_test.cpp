// SPDX-License-Identifier: Apache-2.0
//
// What setters take, beyond the `write` verdicts that values_test.cpp tries row by row: ranges, supported pairs,
// pending modes, and whom they listen to.
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

TEST(Setters, PowerLimitKeepsToItsRange) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    driver().init();
    unsigned low = 0;
    unsigned high = 0;
    steps.expect(driver().call("nvmlDeviceGetPowerManagementLimitConstraints", driver().device(0), &low, &high),
                 kSuccess, "constraints");
    for (const unsigned wrong : {0U, low - 1, high + 1, ~0U})
      steps.expect(set_limit(0, wrong), kInvalidArgument, std::to_string(wrong));
    steps.equal(limit_of(driver().device(0)), 400'000, "limit after refusals");
    for (const unsigned right : {low, high, (low + high) / 2}) {
      steps.expect(set_limit(0, right), kSuccess, std::to_string(right))
          .equal(limit_of(driver().device(0)), right, "limit");
      unsigned enforced = 0;
      driver().call("nvmlDeviceGetEnforcedPowerLimit", driver().device(0), &enforced);
      steps.equal(enforced, right, "enforced limit");
    }
    return steps.said();
  });
}

TEST(Setters, ApplicationClocksAreSupportedPairs) {
  const SharedMachine machine("dgx-h100");
  machine.change_gpu(0, [](Gpu& gpu) {
    gpu.clocks.application_graphics_mhz.set(gpu.clocks.supported[0].graphics_mhz[0]);
    gpu.clocks.application_memory_mhz.set(gpu.clocks.supported[0].memory_mhz.value);
    gpu.clocks.default_application_graphics_mhz = gpu.clocks.application_graphics_mhz;
    gpu.clocks.default_application_memory_mhz = gpu.clocks.application_memory_mhz;
  });
  const Clocks clocks = machine.gpu(0).clocks;
  EXPECT_AS_ROOT([&] {
    Steps steps;
    driver().init();
    const Word device = driver().device(0);
    const auto set = [&](unsigned memory, unsigned graphics) {
      return driver().call("nvmlDeviceSetApplicationsClocks", device, memory, graphics);
    };
    unsigned pairs = 0;
    for (const auto& memory : clocks.supported) {
      for (const std::uint16_t graphics : memory.graphics_mhz) {
        if (++pairs % 16 != 1) continue;
        steps.expect(set(memory.memory_mhz.value, graphics), kSuccess, "a supported pair");
        unsigned now = 0;
        driver().call("nvmlDeviceGetApplicationsClock", device, 0, &now);
        steps.equal(now, graphics, "graphics clock");
        driver().call("nvmlDeviceGetApplicationsClock", device, 2, &now);
        steps.equal(now, memory.memory_mhz.value, "memory clock");
      }
    }
    if (pairs < 10) return std::string("too few pairs to try");
    const unsigned memory = clocks.supported[0].memory_mhz.value;
    const unsigned graphics = clocks.supported[0].graphics_mhz[0];
    steps.expect(set(memory + 1, graphics), kInvalidArgument, "an unknown memory clock");
    steps.expect(set(memory, graphics + 1), kInvalidArgument, "an unknown graphics clock");
    steps.expect(set(0, 0), kInvalidArgument, "zeroes");
    steps.expect(driver().call("nvmlDeviceResetApplicationsClocks", device), kSuccess, "reset");
    unsigned now = 0;
    driver().call("nvmlDeviceGetApplicationsClock", device, 0, &now);
    steps.equal(now, clocks.default_application_graphics_mhz.value, "graphics clock after reset");
    return steps.said();
  });
}

TEST(Setters, EccChangesAreOnlyPending) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    driver().init();
    const Word device = driver().device(0);
    unsigned current = 77;
    unsigned pending = 77;
    steps.expect(driver().call("nvmlDeviceSetEccMode", device, 0), kSuccess, "off");
    steps.expect(driver().call("nvmlDeviceGetEccMode", device, &current, &pending), kSuccess, "get");
    steps.equal(current, 1, "current").equal(pending, 0, "pending");
    for (const unsigned wrong : {2U, ~0U})
      steps.expect(driver().call("nvmlDeviceSetEccMode", device, wrong), kInvalidArgument, "nonsense");
    return steps.said();
  });
}

TEST(Setters, ComputeModesAreFour) {
  EXPECT_AS_ROOT([] {
    Steps steps;
    driver().init();
    for (const unsigned mode : {0U, 1U, 2U, 3U}) {
      unsigned now = 77;
      steps.expect(driver().call("nvmlDeviceSetComputeMode", driver().device(0), mode), kSuccess, "mode");
      driver().call("nvmlDeviceGetComputeMode", driver().device(0), &now);
      steps.equal(now, mode, "mode");
    }
    for (const unsigned wrong : {4U, 255U, ~0U})
      steps.expect(driver().call("nvmlDeviceSetComputeMode", driver().device(0), wrong), kInvalidArgument, "nonsense");
    return steps.said();
  });
}

TEST(Setters, SettersListenToAdministratorsOnly) {
  const std::string said = as_nobody([] {
    Steps steps;
    driver().init();
    const Word device = driver().device(0);
    steps.expect(set_limit(0, 300'000), kNoPermission, "power limit");
    steps.expect(driver().call("nvmlDeviceSetApplicationsClocks", device, 1215, 1410), kNoPermission,
                 "application clocks");
    steps.expect(driver().call("nvmlDeviceResetApplicationsClocks", device), kNoPermission,
                 "reset of application clocks");
    steps.expect(driver().call("nvmlDeviceSetGpuLockedClocks", device, 210, 1410), kNoPermission, "locked clocks");
    steps.expect(driver().call("nvmlDeviceResetGpuLockedClocks", device), kNoPermission, "unlocked clocks");
    steps.expect(driver().call("nvmlDeviceSetMemoryLockedClocks", device, 1215, 1215), kNoPermission,
                 "locked memory clocks");
    steps.expect(driver().call("nvmlDeviceSetEccMode", device, 0), kNoPermission, "ECC");
    steps.expect(driver().call("nvmlDeviceSetComputeMode", device, 3), kNoPermission, "compute mode");
    steps.expect(driver().call("nvmlDeviceSetPersistenceMode", device, 0), kNoPermission, "persistence");
    steps.expect(driver().call("nvmlDeviceClearEccErrorCounts", device, 0), kNoPermission, "ECC counts");
    steps.expect(set_limit(0, 1), kInvalidArgument, "a limit out of range, which comes first");
    steps.equal(limit_of(device), 400'000, "limit");
    return steps.said();
  });
  EXPECT_EQ(said, "");
}

}  // namespace
}  // namespace nvmlab::driver_test
