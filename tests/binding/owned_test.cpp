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
