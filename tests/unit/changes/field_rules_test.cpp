// SPDX-License-Identifier: Apache-2.0
// Rules of fields that a batch writes as bytes: each runs once, when all bytes of the batch are written.
#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>
#include <memory>

#include "engine/change/change.hpp"
#include "tests/unit/changes/built_store.hpp"

namespace nvmlab::changes_test {
namespace {

constexpr std::uint32_t kLimit = offsetof(Gpu, power.limit_mw);
constexpr std::uint32_t kHighest = offsetof(Gpu, power.max_limit_mw);
constexpr std::uint32_t kTarget = offsetof(Gpu, thermal.fans.items[1].target_percent);
constexpr std::uint32_t kPolicy = offsetof(Gpu, thermal.fans.items[1].policy);
constexpr std::uint32_t kLockLow = offsetof(Gpu, clocks.locked_memory_min_mhz);
constexpr std::uint32_t kLockHigh = offsetof(Gpu, clocks.locked_memory_max_mhz);

struct Write {
  std::uint32_t offset;
  Fact<std::uint32_t> value;
};

Fact<std::uint32_t> number(std::uint32_t value) {
  Fact<std::uint32_t> fact{};
  fact.set(value);
  return fact;
}
const Fact<std::uint32_t> kNone{};

class FieldRulesOfABatch : public testing::Test, protected BuiltStore {
 protected:
  FieldRulesOfABatch() {
    const auto gpu = std::make_unique<Gpu>();
    gpu->identity.architecture.set(7);
    gpu->power.limit_mw.set(300);
    gpu->power.min_limit_mw.set(100);
    gpu->power.max_limit_mw.set(700);
    gpu->thermal.fans.count = 2;
    for (Thermal::Fan& fan : gpu->thermal.fans) {
      fan.target_percent.set(30);
      fan.speed_percent.set(30);
      fan.automatic_percent.set(30);
      fan.policy.set(0);
    }
    begin_with(gpu.get(), 1);
  }

  Code put(std::initializer_list<Write> writes, std::uint32_t* failed = nullptr) {
    std::vector<Change> changes;
    for (const Write& each : writes) {
      PutBytes change{each.offset, sizeof each.value, {}};
      std::memcpy(change.bytes, &each.value, sizeof each.value);
      changes.push_back(make_change(0, change));
    }
    MachineAccess machine{store(), file_, true};
    const Applied applied = apply(machine, changes.data(), static_cast<std::uint32_t>(changes.size()));
    if (failed != nullptr) *failed = applied.failed;
    return applied.code;
  }
  const Thermal::Fan& fan(std::uint32_t index) { return now().thermal.fans.items[index]; }
};

TEST_F(FieldRulesOfABatch, RangesAreThoseThatTheBatchLeaves) {
  EXPECT_EQ(put({{kLimit, number(800)}}), kInvalidArgument);
  EXPECT_EQ(put({{kLimit, number(800)}, {kHighest, number(900)}}), kSuccess);
  EXPECT_EQ(now().power.limit_mw.value, 800U);
  std::uint32_t failed = 9;
  EXPECT_EQ(put({{kTarget, number(50)}, {kLimit, number(99)}}, &failed), kInvalidArgument);
  EXPECT_EQ(failed, 1U);
  EXPECT_EQ(fan(1).target_percent.value, 30U) << "all of it or nothing";
}

TEST_F(FieldRulesOfABatch, AValueThatIsNoneHasNoRange) {
  EXPECT_EQ(put({{kLimit, kNone}}), kSuccess);
  EXPECT_EQ(put({{kLimit, number(500)}}), kSuccess) << "and comes back";
}

TEST_F(FieldRulesOfABatch, AFanWhoseTargetIsWrittenIsManual) {
  ASSERT_EQ(put({{kTarget, number(60)}}), kSuccess);
  EXPECT_EQ(fan(1).speed_percent.value, 60U);
  EXPECT_EQ(fan(1).policy.value, 1U);
  EXPECT_EQ(fan(0).policy.value, 0U) << "the other fan";
  ASSERT_EQ(put({{kTarget, number(70)}, {kPolicy, number(0)}}), kSuccess);
  EXPECT_EQ(fan(1).target_percent.value, 30U) << "a written policy decides";
}

TEST_F(FieldRulesOfABatch, ALockHasBothEndsWhateverTheirOrder) {
  EXPECT_EQ(put({{kLockLow, number(500)}}), kInvalidArgument) << "half a lock";
  ASSERT_EQ(put({{kLockLow, number(500)}, {kLockHigh, number(900)}}), kSuccess);
  ASSERT_EQ(put({{kLockLow, number(1000)}, {kLockHigh, number(1200)}}), kSuccess) << "the low end passes the old high";
  EXPECT_EQ(put({{kLockLow, number(1300)}}), kInvalidArgument);
  ASSERT_EQ(put({{kLockHigh, kNone}}), kSuccess);
  EXPECT_FALSE(now().clocks.locked_memory_min_mhz.has_value());
}

}  // namespace
}  // namespace nvmlab::changes_test
