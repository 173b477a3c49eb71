// SPDX-License-Identifier: Apache-2.0
// Event sets and samples are freed once, with their last copy or before.
#include <gtest/gtest.h>

#include <optional>

#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

abi::nvmlEventSet_t handle() { return reinterpret_cast<abi::nvmlEventSet_t>(std::uintptr_t{0x40}); }

class Owned : public testing::Test {
 protected:
  Owned() {
    fake_.set<&Functions::nvmlEventSetCreate>([](abi::nvmlEventSet_t* set) {
      *set = handle();
      return abi::NVML_SUCCESS;
    });
    fake_.set<&Functions::nvmlEventSetFree>([this](abi::nvmlEventSet_t set) {
      freed_ += set == handle() ? 1 : 100;
      return abi::NVML_SUCCESS;
    });
  }

  Result<EventSet> create() const { return LibraryMethods{fake_.library().library()}.create_event_set(); }

  Fake fake_;
  int freed_ = 0;
};

TEST_F(Owned, FreedWithTheLastCopy) {
  std::optional<EventSet> first = create().value();
  std::optional<EventSet> second = first;
  EXPECT_EQ(first, second);
  first.reset();
  EXPECT_EQ(freed_, 0);
  second.reset();
  EXPECT_EQ(freed_, 1);
}

TEST_F(Owned, FreedByHandAndNotAgain) {
  {
    const EventSet set = create().value();
    const EventSet copy = set;
    EXPECT_TRUE(set.free().has_value());
    EXPECT_EQ(freed_, 1);
    EXPECT_EQ(copy.free().error().origin(), Origin::binding);
  }
  EXPECT_EQ(freed_, 1);
}

// Using it is a mistake; a crash in another place of the program would not say so.
TEST_F(Owned, WhatWasMovedFromSaysSo) {
  Device device = nvmlab::binding_test::device_of(fake_);
  const Device there = std::move(device);
  const auto power = device.power_usage();  // NOLINT(bugprone-use-after-move)
  ASSERT_FALSE(power);
  EXPECT_EQ(power.error(),
            (Error{static_cast<Return>(abi::NVML_ERROR_UNINITIALIZED), Origin::binding, "nvmlDeviceGetPowerUsage"}));
  EXPECT_NE(power.error().detail().find("moved from"), std::string_view::npos);
  EXPECT_FALSE(device.memory_info());
  EXPECT_FALSE(device.running_compute_processes());
  const Device copy = device;
  EXPECT_FALSE(copy.uuid());
  device = there;
  EXPECT_EQ(device, there);
  EXPECT_FALSE(Device{}.uuid()) << "one without a library";

  Library library = fake_.library();
  const Library other = std::move(library);
  EXPECT_FALSE(library.device_count());
  EXPECT_FALSE(library.devices().at(0).uuid());
  EXPECT_EQ(library.path(), "");
  EXPECT_FALSE(library.shutdown());
  EventSet set = create().value();
  const EventSet moved = std::move(set);
  EXPECT_FALSE(set.free());
  EXPECT_FALSE(set.wait(std::chrono::milliseconds{0}));
  EXPECT_EQ(freed_, 0);
}

TEST_F(Owned, MovingIsNotCopying) {
  {
    EventSet set = create().value();
    const EventSet moved = std::move(set);
    EXPECT_EQ(moved.handle(), handle());
  }
  EXPECT_EQ(freed_, 1);
}

TEST_F(Owned, WhatWasNotMadeIsNotFreed) {
  fake_.set_answer<&Functions::nvmlEventSetCreate>(Return::memory);
  EXPECT_FALSE(create().has_value());
  EXPECT_EQ(freed_, 0);
}

TEST(OwnedSystemEventSet, IsFreedThroughItsRequest) {
  Fake fake;
  const auto set = reinterpret_cast<abi::nvmlSystemEventSet_t>(std::uintptr_t{0x50});
  int freed = 0;
  fake.set<&Functions::nvmlSystemEventSetFree>([&](abi::nvmlSystemEventSetFreeRequest_t* request) {
    freed += request->set == set && request->version != 0 ? 1 : 100;
    return abi::NVML_SUCCESS;
  });
  { const SystemEventSet events{fake.library().library(), set}; }
  EXPECT_EQ(freed, 1);
}

}  // namespace
}  // namespace nvml
