// SPDX-License-Identifier: Apache-2.0
// Event sets of both kinds: made, waited for, freed; and the context of events, of which there is none before an event.
#include <gtest/gtest.h>

#include <chrono>
#include <cstring>

#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {
namespace {

struct SystemSet {  // requests that create and free
  unsigned version = sizeof(SystemSet) | 1U << 24;
  Word set = 0;
};
struct SystemRegistration {
  unsigned version = sizeof(SystemRegistration) | 1U << 24;
  unsigned long long types = 3;
  Word set = 0;
};
struct SystemEvent {
  unsigned long long type;
  unsigned gpu;
};
struct SystemWait {
  unsigned version = sizeof(SystemWait) | 1U << 24;
  unsigned timeout_ms = 0;
  Word set = 0;
  SystemEvent* data = nullptr;
  unsigned size = 0;
  unsigned count = 77;
};

class Events : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }
  SharedMachine machine{"dgx-h100"};
};

TEST_F(Events, ASystemSetLivesUntilItIsFreed) {
  SystemSet set;
  ASSERT_EQ(driver().call("nvmlSystemEventSetCreate", &set), kSuccess);
  SystemRegistration registration;
  registration.set = set.set;
  EXPECT_EQ(driver().call("nvmlSystemRegisterEvents", &registration), kSuccess);
  registration.types = 4;
  EXPECT_EQ(driver().call("nvmlSystemRegisterEvents", &registration), kNotSupported);
  SystemEvent events[2];
  SystemWait wait;
  wait.set = set.set;
  EXPECT_EQ(driver().call("nvmlSystemEventSetWait", &wait), kInvalidArgument) << "nowhere to put events";
  wait.data = events;
  wait.size = 2;
  wait.timeout_ms = 30;
  const auto took = test::elapsed([&] { EXPECT_EQ(driver().call("nvmlSystemEventSetWait", &wait), kTimeout); });
  EXPECT_GE(took, std::chrono::milliseconds(30));
  EXPECT_EQ(wait.count, 0U);
  ASSERT_EQ(driver().call("nvmlSystemEventSetFree", &set), kSuccess);
  EXPECT_EQ(driver().call("nvmlSystemEventSetFree", &set), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlSystemEventSetWait", &wait), kInvalidArgument);
  set.version ^= 1;
  EXPECT_EQ(driver().call("nvmlSystemEventSetCreate", &set), kArgumentVersionMismatch);
}

TEST_F(Events, TheTwoKindsOfSetsAreNotEachOther) {
  SystemSet system;
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlSystemEventSetCreate", &system), kSuccess);
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetFree", system.set), kInvalidArgument);
  SystemSet other = system;
  other.set = set;
  EXPECT_EQ(driver().call("nvmlSystemEventSetFree", &other), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlSystemEventSetFree", &system), kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

TEST_F(Events, BeforeAnEventThereIsNoContext) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  unsigned room[64] = {};
  for (const char* name : {"nvmlEventSetGetContextCount_v1", "nvmlEventSetGetContextInfo_v1",
                           "nvmlEventSetGetContextData_v1", "nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1"}) {
    EXPECT_EQ(driver().call(name, set, room), kNotFound) << name;
    EXPECT_EQ(driver().call(name, set ^ 1, room), kInvalidArgument) << name;
  }
  room[0] = 20;  // milliseconds
  EXPECT_EQ(driver().call("nvmlEventSetWait_v3", set, room), kTimeout);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetWait_v3", set, room), kInvalidArgument);
}

TEST_F(Events, StructuredEventsAreAskedForByUuid) {
  Word set = 0;
  ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
  struct {
    char uuid[96];
    unsigned level, severity;
  } config{};
  const std::string uuid = driver().text("nvmlDeviceGetUUID", driver().device(3));
  uuid.copy(config.uuid, sizeof config.uuid - 1);
  EXPECT_EQ(driver().call("nvmlEventSetRegisterGpuOperationalEvents_v1", set, &config), kSuccess);
  EXPECT_EQ(driver().call("nvmlEventSetRegisterGpuOperationalEvents_v1", set, &config), kSuccess) << "twice is once";
  config.uuid[5] ^= 1;
  EXPECT_EQ(driver().call("nvmlEventSetRegisterGpuOperationalEvents_v1", set, &config), kInvalidArgument);
  std::memset(config.uuid, 'x', sizeof config.uuid);
  EXPECT_EQ(driver().call("nvmlEventSetRegisterGpuOperationalEvents_v1", set, &config), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
}

TEST(EventsOfBoards, EachBoardAndDriverSaysWhatItCanReport) {
  struct {
    const char* profile;
    const char* version;
    unsigned long long types;
  } const boards[] = {{"dgx-h100", "999.0", 0xFF1F}, {"dgx-h100", "550", 0x11F}, {"g4dn-xlarge", "550", 0x1F}};
  for (const auto& board : boards) {
    const SharedMachine machine(board.profile, board.version);
    ASSERT_EQ(driver().init(), kSuccess);
    unsigned long long types = 0;
    ASSERT_EQ(driver().call("nvmlDeviceGetSupportedEventTypes", driver().device(0), &types), kSuccess);
    EXPECT_EQ(types, board.types) << board.profile << " " << board.version;
    Word set = 0;
    ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
    EXPECT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), types, set), kSuccess);
    EXPECT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(0), 0x80, set), kNotSupported) << "no battery";
    EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
