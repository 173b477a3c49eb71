// SPDX-License-Identifier: Apache-2.0
//
// Units, host interface cards and excluded GPUs, on a node that has some (data/unit-node.yaml) and on one that has
// none.
#include <array>
#include <cstring>

#include "tests/drivers/functions/support/guarded.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kUnits = 2;

Word unit(unsigned index) {
  Word handle = 0;
  return driver().call("nvmlUnitGetHandleByIndex", index, &handle) == kSuccess ? handle : 0;
}

// nvmlLedState_t.
struct Led {
  char cause[256];
  int color;
};

Led led_of(Word handle) {
  Led led{};
  EXPECT_EQ(driver().call("nvmlUnitGetLedState", handle, &led), kSuccess);
  return led;
}

class Units : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  SharedMachine machine{(source_folder() / "tests/drivers/functions/data" / "unit-node.yaml").string()};
};

TEST_F(Units, HaveHandlesThatNothingElseHas) {
  unsigned count = 0;
  ASSERT_EQ(driver().call("nvmlUnitGetCount", &count), kSuccess);
  EXPECT_EQ(count, kUnits);
  Word beyond = 0;
  for (const unsigned index : {kUnits, 4U, 0x7FFFFFFFU, ~0U})
    EXPECT_EQ(driver().call("nvmlUnitGetHandleByIndex", index, &beyond), kInvalidArgument) << index;
  EXPECT_NE(unit(0), unit(1));
  struct Temperature {
    unsigned celsius = 77;
    int code;
    explicit Temperature(Word handle) : code(driver().call("nvmlUnitGetTemperature", handle, 0, &celsius)) {}
  };
  EXPECT_EQ(Temperature(unit(0)).celsius, 21U);
  EXPECT_EQ(Temperature(unit(1)).celsius, 22U);
  for (unsigned bit = 0; bit < 64; ++bit)
    EXPECT_EQ(Temperature(unit(0) ^ Word{1} << bit).code, kInvalidArgument) << "bit " << bit;
  for (const Word foreign : {Word{0}, Word{1}, driver().device(0)})
    EXPECT_EQ(Temperature(foreign).code, kInvalidArgument) << foreign;
  unsigned celsius = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetTemperature", unit(0), 0, &celsius), kInvalidArgument) << "a unit is no GPU";
}

TEST_F(Units, TellWhatTheyAre) {
  std::array<std::array<char, 96>, 4> info{};  // nvmlUnitInfo_t: name, id, serial, firmware version
  ASSERT_EQ(driver().call("nvmlUnitGetUnitInfo", unit(1), info.data()), kSuccess);
  EXPECT_STREQ(info[0].data(), "Test S2050");
  EXPECT_STREQ(info[1].data(), "920-20804-0001");
  EXPECT_STREQ(info[2].data(), "0330510000002");
  EXPECT_STREQ(info[3].data(), "6.3");
  struct Psu {  // nvmlPSUInfo_t
    char state[256];
    unsigned current, voltage, power;
  } psu{};
  ASSERT_EQ(driver().call("nvmlUnitGetPsuInfo", unit(0), &psu), kSuccess);
  EXPECT_STREQ(psu.state, "Normal");
  EXPECT_EQ(psu.current, 5704U);
  EXPECT_EQ(psu.voltage, 1199U);
  EXPECT_EQ(psu.power, 684U);
  struct Fans {  // nvmlUnitFanSpeeds_t
    unsigned fans[24][2];
    unsigned count;
  } fans{};
  ASSERT_EQ(driver().call("nvmlUnitGetFanSpeedInfo", unit(0), &fans), kSuccess);
  ASSERT_EQ(fans.count, 2U);
  EXPECT_EQ(fans.fans[0][0], 5400U);
  EXPECT_EQ(fans.fans[0][1], 0U);
  EXPECT_EQ(fans.fans[1][1], 1U) << "failed";
  EXPECT_EQ(driver().call("nvmlUnitGetFanSpeedInfo", unit(1), &fans), kNotSupported) << "no fan is known";
}

TEST_F(Units, HaveThreeSensorsWhereTheyHaveThem) {
  unsigned celsius = 0;
  const auto ask = [&](unsigned index, unsigned type) {
    return driver().call("nvmlUnitGetTemperature", unit(index), type, &celsius);
  };
  for (const auto& [type, expected] : {std::pair{0U, 21U}, std::pair{1U, 44U}, std::pair{2U, 33U}}) {
    EXPECT_EQ(ask(0, type), kSuccess);
    EXPECT_EQ(celsius, expected) << type;
  }
  EXPECT_EQ(ask(1, 1), kNotSupported) << "no exhaust sensor";
  for (const unsigned type : {3U, ~0U})
    EXPECT_EQ(ask(0, type), kInvalidArgument) << type;
}

// Protocol B: too little room, and neither the count nor the array changes.
TEST_F(Units, ListTheirGpus) {
  for (unsigned index = 0; index < kUnits; ++index) {
    std::array<Word, 4> gpus{};
    for (const unsigned room : {0U, 1U}) {
      unsigned count = room;
      EXPECT_EQ(driver().call("nvmlUnitGetDevices", unit(index), &count, gpus.data()), kInsufficientSize);
      EXPECT_EQ(count, room);
      EXPECT_EQ(gpus[0], 0U);
    }
    unsigned count = 4;
    EXPECT_EQ(driver().call("nvmlUnitGetDevices", unit(index), &count, nullptr), kInvalidArgument);
    ASSERT_EQ(driver().call("nvmlUnitGetDevices", unit(index), &count, gpus.data()), kSuccess);
    ASSERT_EQ(count, 2U);
    EXPECT_EQ(gpus[0], driver().device(2 * index));
    EXPECT_EQ(gpus[1], driver().device(2 * index + 1));
  }
}

TEST_F(Units, ShowOneColourTogetherAndToAdministratorsOnly) {
  EXPECT_EQ(led_of(unit(0)).color, 1);
  EXPECT_STREQ(led_of(unit(0)).cause, "the second fan stands still");
  EXPECT_EQ(led_of(unit(1)).color, 0);
  EXPECT_STREQ(led_of(unit(1)).cause, "") << "green has no cause";
  EXPECT_EQ(as_nobody([] {
              Steps steps;
              steps.expect(driver().call("nvmlUnitSetLedState", unit(0), 0), kNoPermission, "nobody");
              return steps.said();
            }),
            "");
  EXPECT_AS_ROOT([] {
    Steps steps;
    for (const int nonsense : {2, -1})
      steps.expect(driver().call("nvmlUnitSetLedState", unit(0), nonsense), kInvalidArgument, "no colour");
    steps.expect(driver().call("nvmlUnitSetLedState", driver().device(0), 0), kInvalidArgument, "a GPU");
    steps.expect(driver().call("nvmlUnitSetLedState", unit(1), 1), kSuccess, "amber");
    return steps.said();
  });
  EXPECT_EQ(led_of(unit(0)).color, 1);
  EXPECT_EQ(led_of(unit(1)).color, 1) << "every process sees it";
  EXPECT_AS_ROOT([] { return Steps().expect(driver().call("nvmlUnitSetLedState", unit(0), 0), kSuccess, "").said(); });
  EXPECT_EQ(led_of(unit(1)).color, 0) << "all units change together";
}

TEST_F(Units, ComeWithHostInterfaceCards) {
  struct Card {  // nvmlHwbcEntry_t
    unsigned id;
    char firmware[32];
  };
  std::array<Card, 3> cards{};
  unsigned count = 0;
  EXPECT_EQ(driver().call("nvmlSystemGetHicVersion", &count, nullptr), kInsufficientSize);
  count = 2;
  EXPECT_EQ(driver().call("nvmlSystemGetHicVersion", &count, cards.data()), kInsufficientSize);
  EXPECT_EQ(cards[0].id, 0U) << "nothing is written";
  GuardedPage page;
  std::byte* room = page.place(sizeof cards);
  count = 3;
  ASSERT_EQ(driver().call("nvmlSystemGetHicVersion", &count, room), kSuccess);
  EXPECT_EQ(count, 3U);
  std::memcpy(cards.data(), room, sizeof cards);
  EXPECT_EQ(cards[1].id, 9U);
  EXPECT_STREQ(cards[1].firmware, "1.3");
  EXPECT_EQ(cards[2].id, 11U);
}

TEST_F(Units, NodesTellOfExcludedGpus) {
  struct Info {  // nvmlExcludedDeviceInfo_t
    char short_bus_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char bus_id[32];
    char uuid[80];
  };
  static_assert(sizeof(Info) == 148);
  for (const std::string word : {"Excluded", "Blacklist"}) {
    if (!driver().has("nvmlGet" + word + "DeviceCount")) continue;
    Environment old{{"NVMLAB_DRIVER", word == "Excluded" ? "595" : "450"}};
    unsigned count = 0;
    ASSERT_EQ(driver().call("nvmlGet" + word + "DeviceCount", &count), kSuccess) << word;
    EXPECT_EQ(count, 2U);
    Info info{};
    for (const unsigned beyond : {2U, 16U, ~0U})
      EXPECT_EQ(driver().call("nvmlGet" + word + "DeviceInfoByIndex", beyond, &info), kInvalidArgument) << beyond;
    EXPECT_EQ(driver().call("nvmlGet" + word + "DeviceInfoByIndex", 0, nullptr), kInvalidArgument);
    ASSERT_EQ(driver().call("nvmlGet" + word + "DeviceInfoByIndex", 1, &info), kSuccess);
    EXPECT_STREQ(info.uuid, "GPU-66666666-7777-8888-9999-000000000000");
    EXPECT_STREQ(info.bus_id, "00000001:B2:00.0");
    EXPECT_STREQ(info.short_bus_id, "0001:B2:00.0");
    EXPECT_EQ(info.bus, 0xB2U);
    EXPECT_EQ(info.domain, 1U);
    EXPECT_EQ(info.device_id, 0x1EB810DEU);
    Word handle = 0;
    EXPECT_EQ(driver().call("nvmlDeviceGetHandleByUUID", info.uuid, &handle), kNotFound) << "it has no handle";
  }
}

// A machine that is brought up with fewer GPUs than its units would hold.
TEST(UnitsOfASmallerNode, HoldTheGpusThatThereAre) {
  const SharedMachine small((source_folder() / "tests/drivers/functions/data/unit-node.yaml").string(),
                            Api::kNewestDriver, 3);
  ASSERT_EQ(driver().init(), kSuccess);
  std::array<Word, 2> gpus{};
  unsigned count = 2;
  EXPECT_EQ(driver().call("nvmlUnitGetDevices", unit(1), &count, gpus.data()), kSuccess);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(gpus[0], driver().device(2));
  driver().shutdown();
}

TEST(NodesWithoutUnits, HaveNoneAndNoHandleIsOne) {
  ASSERT_EQ(driver().init(), kSuccess);
  unsigned count = 77;
  EXPECT_EQ(driver().call("nvmlUnitGetCount", &count), kSuccess);
  EXPECT_EQ(count, 0U);
  Word handle = 0;
  EXPECT_EQ(driver().call("nvmlUnitGetHandleByIndex", 0, &handle), kInvalidArgument);
  Led led{};
  EXPECT_EQ(driver().call("nvmlUnitGetLedState", driver().device(0), &led), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlSystemGetHicVersion", &count, nullptr), kSuccess) << "as nvidia-ml-py asks";
  EXPECT_EQ(count, 0U);
  EXPECT_EQ(driver().call("nvmlGetExcludedDeviceCount", &count), kSuccess);
  EXPECT_EQ(count, 0U);
  driver().shutdown();
}

}  // namespace
}  // namespace nvmlab::driver_test
