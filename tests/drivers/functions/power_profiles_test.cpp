// SPDX-License-Identifier: Apache-2.0
// Power smoothing, workload power profiles, the power mizer and adaptive TGP: each setter beside what then is read.
#include <cmath>

#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

class PowerProfiles : public Board {
 protected:
  using Current = abi::nvmlWorkloadPowerProfileCurrentProfiles_v1_t;

  Current current() const {
    auto profiles = versioned<Current>();
    EXPECT_EQ(call("nvmlDeviceWorkloadPowerProfileGetCurrentProfiles", &profiles), kSuccess);
    return profiles;
  }
  unsigned requested() const { return current().requestedProfilesMask.mask[0]; }
  unsigned enforced() const { return current().enforcedProfilesMask.mask[0]; }
  int update(unsigned operation, unsigned mask) const {
    abi::nvmlWorkloadPowerProfileUpdateProfiles_v1_t given{};
    given.operation = static_cast<abi::nvmlPowerProfileOperation_t>(operation);
    given.updateProfilesMask.mask[0] = mask;
    return call("nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1", &given);
  }
  int by_old_name(const std::string& verb, unsigned mask) const {
    auto given = versioned<abi::nvmlWorkloadPowerProfileRequestedProfiles_v1_t>();
    given.requestedProfilesMask.mask[0] = mask;
    return call("nvmlDeviceWorkloadPowerProfile" + verb + "RequestedProfiles", &given);
  }
  int parameter(unsigned profile, unsigned id, double value) const {
    auto given = versioned<abi::nvmlPowerSmoothingProfile_v1_t>();
    given.profileId = profile;
    given.paramId = id;
    given.value = value;
    return call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", &given);
  }
};

constexpr unsigned kClear = 0;
constexpr unsigned kSet = 1;
constexpr unsigned kOverwrite = 2;

TEST_F(PowerProfiles, TheTableOfWorkloadProfiles) {
  auto info = std::make_unique<abi::nvmlWorkloadPowerProfileProfilesInfo_v1_t>(
      versioned<abi::nvmlWorkloadPowerProfileProfilesInfo_v1_t>());
  ASSERT_EQ(call("nvmlDeviceWorkloadPowerProfileGetProfilesInfo", info.get()), kSuccess);
  EXPECT_EQ(info->perfProfilesMask.mask[0], 0xFU);
  EXPECT_EQ(info->perfProfile[1].profileId, 1U);
  EXPECT_EQ(info->perfProfile[1].priority, 2U);
  EXPECT_EQ(info->perfProfile[1].conflictingMask.mask[0], 0x5U);
  EXPECT_EQ(info->perfProfile[3].conflictingMask.mask[0], 0U);
  EXPECT_EQ(info->perfProfile[4].priority, 0U);
}

TEST_F(PowerProfiles, TheFirstByPriorityKeepsOutWhatConflicts) {
  EXPECT_EQ(current().perfProfilesMask.mask[0], 0xFU);
  EXPECT_EQ(requested(), 0U);
  EXPECT_EQ(update(kSet, 0b1101), kSuccess);
  EXPECT_EQ(enforced(), 0b1101U) << "none of them conflicts with another";
  EXPECT_EQ(update(kSet, 0b0010), kSuccess);
  EXPECT_EQ(requested(), 0b1111U);
  EXPECT_EQ(enforced(), 0b1010U) << "max_q comes first and keeps max_p and compute out";
  EXPECT_EQ(update(kClear, 0b0010), kSuccess);
  EXPECT_EQ(enforced(), 0b1101U);
  EXPECT_EQ(update(kOverwrite, 0b0100), kSuccess);
  EXPECT_EQ(requested(), 0b0100U);
  EXPECT_EQ(by_old_name("Set", 0b1000), kSuccess);
  EXPECT_EQ(requested(), 0b1100U);
  EXPECT_EQ(by_old_name("Clear", 0b0100), kSuccess);
  EXPECT_EQ(requested(), 0b1000U);
}

TEST_F(PowerProfiles, WhatTheBoardDoesNotHaveIsRefused) {
  EXPECT_EQ(update(kSet, 0x10), kInvalidArgument);
  EXPECT_EQ(update(3, 1), kInvalidArgument);
  EXPECT_EQ(by_old_name("Set", 0x80000000), kInvalidArgument);
  EXPECT_EQ(requested(), 0U);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(update(kSet, 1), kNoPermission);
  EXPECT_EQ(by_old_name("Set", 1), kNoPermission);
  EXPECT_EQ(by_old_name("Clear", 1), kNoPermission);
  machine.change_gpu(0, [](Gpu& state) { state.power.workload_profiles = {}; });
  EXPECT_EQ(update(kSet, 1), kNotSupported);
  EXPECT_EQ(update(3, 1), kNotSupported);
}

TEST_F(PowerProfiles, SmoothingOnOffAndByPreset) {
  auto state = versioned<abi::nvmlPowerSmoothingState_v1_t>();
  state.state = abi::NVML_FEATURE_ENABLED;
  EXPECT_EQ(call("nvmlDevicePowerSmoothingSetState", &state), kSuccess);
  EXPECT_EQ(machine.gpu(0).power.smoothing.value, 1U);
  state.state = static_cast<abi::nvmlEnableState_t>(2);
  EXPECT_EQ(call("nvmlDevicePowerSmoothingSetState", &state), kInvalidArgument);
  auto profile = versioned<abi::nvmlPowerSmoothingProfile_v1_t>();
  profile.profileId = 2;
  EXPECT_EQ(call("nvmlDevicePowerSmoothingActivatePresetProfile", &profile), kSuccess);
  EXPECT_EQ(machine.gpu(0).power.smoothing_active_profile.value, 2U);
  profile.profileId = 3;
  EXPECT_EQ(call("nvmlDevicePowerSmoothingActivatePresetProfile", &profile), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  profile.profileId = 0;
  state.state = abi::NVML_FEATURE_DISABLED;
  EXPECT_EQ(call("nvmlDevicePowerSmoothingActivatePresetProfile", &profile), kNoPermission);
  EXPECT_EQ(call("nvmlDevicePowerSmoothingSetState", &state), kNoPermission);
}

TEST_F(PowerProfiles, ParametersOfAPreset) {
  EXPECT_EQ(parameter(1, 0, 37.25), kSuccess);
  EXPECT_EQ(parameter(1, 1, 1234), kSuccess);
  EXPECT_EQ(parameter(1, 5, 255), kSuccess);
  const auto& profiles = machine.gpu(0).power.smoothing_profiles;
  EXPECT_EQ(profiles[1].floor_percent.value, 3725U);
  EXPECT_EQ(profiles[1].ramp_up_mw_per_s.value, 1234U);
  EXPECT_EQ(profiles[1].primary_activation_window.value, 255U);
  EXPECT_EQ(profiles[0].floor_percent.value, 5000U);
  EXPECT_EQ(parameter(1, 0, 100.5), kInvalidArgument);
  EXPECT_EQ(parameter(1, 5, 256), kInvalidArgument);
  EXPECT_EQ(parameter(1, 1, -1), kInvalidArgument);
  EXPECT_EQ(parameter(1, 1, std::nan("")), kInvalidArgument);
  EXPECT_EQ(parameter(1, 8, 1), kInvalidArgument);
  EXPECT_EQ(parameter(3, 0, 1), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(parameter(1, 0, 1), kNoPermission);
}

TEST_F(PowerProfiles, ThePowerMizerIsEverybodys) {
  ASSERT_EQ(play("user"), kSuccess);
  abi::nvmlDevicePowerMizerModes_v1_t modes{};
  ASSERT_EQ(call("nvmlDeviceGetPowerMizerMode_v1", &modes), kSuccess);
  EXPECT_EQ(modes.currentMode, 2U);
  EXPECT_EQ(modes.supportedPowerMizerModes, 7U);
  modes.mode = 1;
  EXPECT_EQ(call("nvmlDeviceSetPowerMizerMode_v1", &modes), kSuccess);
  ASSERT_EQ(call("nvmlDeviceGetPowerMizerMode_v1", &modes), kSuccess);
  EXPECT_EQ(modes.currentMode, 1U);
  for (const unsigned wrong : {3U, 32U, ~0U}) {
    modes.mode = wrong;
    EXPECT_EQ(call("nvmlDeviceSetPowerMizerMode_v1", &modes), kInvalidArgument) << wrong;
  }
}

TEST_F(PowerProfiles, AdaptiveTgpIsArbitrated) {
  const auto active = [&] {
    abi::nvmlAdaptiveTgpModeInfo_v1_t info{};
    EXPECT_EQ(call("nvmlDeviceGetAdaptiveTgpModeInfo_v1", &info), kSuccess);
    EXPECT_EQ(info.adjustedLimitMw, 720'000U);
    return std::pair<int, int>(info.inBandEnableRequest, info.enablementStatus);
  };
  EXPECT_EQ(active(), std::pair(0, 0));
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", 1), kSuccess);
  EXPECT_EQ(active(), std::pair(1, 1));
  machine.change_gpu(0, [](Gpu& state) { state.power.adaptive_tgp_allowed.set(0); });
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", 1), kSuccess);
  EXPECT_EQ(active(), std::pair(1, 0)) << "not allowed";
  machine.change_gpu(0, [](Gpu& state) {
    state.power.adaptive_tgp_allowed.set(1);
    state.power.adaptive_tgp_override.set(1);
  });
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", 0), kSuccess);
  EXPECT_EQ(active(), std::pair(0, 1)) << "the administrator decides alone";
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", 2), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetAdaptiveTgpMode_v1", 1), kNoPermission);
}

// What no shipped board has.
class ShippedPower : public Board {
 protected:
  ShippedPower() : Board("dgx-h100") {}
};

TEST_F(ShippedPower, HasNoneOfIt) {
  auto profile = versioned<abi::nvmlPowerSmoothingProfile_v1_t>();
  auto state = versioned<abi::nvmlPowerSmoothingState_v1_t>();
  auto requested = versioned<abi::nvmlWorkloadPowerProfileRequestedProfiles_v1_t>();
  abi::nvmlDevicePowerMizerModes_v1_t modes{};
  for (const int code : {call("nvmlDevicePowerSmoothingActivatePresetProfile", &profile),
                         call("nvmlDevicePowerSmoothingUpdatePresetProfileParam", &profile),
                         call("nvmlDevicePowerSmoothingSetState", &state),
                         call("nvmlDeviceWorkloadPowerProfileSetRequestedProfiles", &requested),
                         call("nvmlDeviceGetPowerMizerMode_v1", &modes), call("nvmlDeviceSetPowerMizerMode_v1", &modes),
                         call("nvmlDeviceSetAdaptiveTgpMode_v1", 1)})
    EXPECT_EQ(code, kNotSupported);
}

}  // namespace
}  // namespace nvmlab::driver_test
