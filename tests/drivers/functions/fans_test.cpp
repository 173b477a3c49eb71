// SPDX-License-Identifier: Apache-2.0
// Fans and temperature targets: what is set is what is read, within the board's range.
#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

class Fans : public Board {
 protected:
  unsigned of(const std::string& getter, unsigned fan) const {
    unsigned value = 777;
    EXPECT_EQ(call(getter, fan, &value), kSuccess) << getter;
    return value;
  }
  unsigned target(unsigned fan) const { return of("nvmlDeviceGetTargetFanSpeed", fan); }
  unsigned speed(unsigned fan) const { return of("nvmlDeviceGetFanSpeed_v2", fan); }
  unsigned policy(unsigned fan) const { return of("nvmlDeviceGetFanControlPolicy_v2", fan); }
  int threshold(int type, int celsius) const { return call("nvmlDeviceSetTemperatureThreshold", type, &celsius); }
};

constexpr int kShutdown = 0;
constexpr int kAcoustic = 5;
constexpr int kGps = 7;

TEST_F(Fans, ASpeedIsATargetAndTakesTheFanFromTheTemperature) {
  EXPECT_EQ(policy(1), 0U);
  ASSERT_EQ(call("nvmlDeviceSetFanSpeed_v2", 1, 70), kSuccess);
  EXPECT_EQ(target(1), 70U);
  EXPECT_EQ(speed(1), 70U);
  EXPECT_EQ(policy(1), 1U);
  EXPECT_EQ(target(0), 40U) << "the other fan";
  ASSERT_EQ(call("nvmlDeviceSetDefaultFanSpeed_v2", 1), kSuccess);
  EXPECT_EQ(target(1), 40U);
  EXPECT_EQ(speed(1), 40U);
  EXPECT_EQ(policy(1), 0U);
}

TEST_F(Fans, ThePolicyAlone) {
  ASSERT_EQ(call("nvmlDeviceSetFanControlPolicy", 0, 1), kSuccess);
  EXPECT_EQ(policy(0), 1U);
  EXPECT_EQ(target(0), 40U);
  ASSERT_EQ(call("nvmlDeviceSetFanSpeed_v2", 0, 95), kSuccess);
  ASSERT_EQ(call("nvmlDeviceSetFanControlPolicy", 0, 0), kSuccess);
  EXPECT_EQ(target(0), 40U) << "back to what the temperature asks for";
  EXPECT_EQ(call("nvmlDeviceSetFanControlPolicy", 0, 2), kInvalidArgument);
}

TEST_F(Fans, RangesAndRights) {
  unsigned low = 0;
  unsigned high = 0;
  ASSERT_EQ(call("nvmlDeviceGetMinMaxFanSpeed", &low, &high), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(20U, 95U));
  for (const unsigned wrong : {0U, 19U, 96U, ~0U})
    EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", 0, wrong), kInvalidArgument) << wrong;
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", 2, 50), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", 0, 50), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetDefaultFanSpeed_v2", 0), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetFanControlPolicy", 0, 1), kNoPermission);
  EXPECT_EQ(target(0), 40U);
}

TEST_F(Fans, Coolers) {
  auto info = versioned<abi::nvmlCoolerInfo_v1_t>();
  info.index = 1;
  ASSERT_EQ(call("nvmlDeviceGetCoolerInfo", &info), kSuccess);
  EXPECT_EQ(info.signalType, 2);
  EXPECT_EQ(info.target, 14);
  info.index = 2;
  EXPECT_EQ(call("nvmlDeviceGetCoolerInfo", &info), kInvalidArgument);
}

TEST_F(Fans, TemperatureTargetsMoveAndLimitsDoNot) {
  const auto read = [&](int type) { return of("nvmlDeviceGetTemperatureThreshold", static_cast<unsigned>(type)); };
  EXPECT_EQ(threshold(kAcoustic, 75), kSuccess);
  EXPECT_EQ(read(kAcoustic), 75U);
  EXPECT_EQ(threshold(kGps, 85), kSuccess);
  EXPECT_EQ(read(kGps), 85U);
  for (const int wrong : {59, 91, -1, INT32_MAX})
    EXPECT_EQ(threshold(kAcoustic, wrong), kInvalidArgument) << wrong;
  EXPECT_EQ(threshold(kShutdown, 90), kNotSupported);
  EXPECT_EQ(threshold(8, 90), kInvalidArgument);
  EXPECT_EQ(read(kAcoustic), 75U);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(threshold(kAcoustic, 70), kNoPermission);
}

class PassiveBoard : public Board {
 protected:
  PassiveBoard() : Board("dgx-h100") {}
};

TEST_F(PassiveBoard, HasNoFans) {
  auto info = versioned<abi::nvmlCoolerInfo_v1_t>();
  unsigned low = 0;
  int celsius = 70;
  EXPECT_EQ(call("nvmlDeviceGetCoolerInfo", &info), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceGetMinMaxFanSpeed", &low, &low), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceSetFanSpeed_v2", 0, 200), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceSetTemperatureThreshold", kAcoustic, &celsius), kNotSupported);
}

}  // namespace
}  // namespace nvmlab::driver_test
