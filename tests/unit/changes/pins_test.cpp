// SPDX-License-Identifier: Apache-2.0
// Values that are pinned over whatever happens, until they are released.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include "engine/change/change.hpp"
#include "engine/topics/derived.hpp"
#include "tests/unit/changes/built_store.hpp"

namespace nvmlab::changes_test {
namespace {

// A GPU with limits and a temperature, in a store of its own.
class Pinned : public testing::Test, protected BuiltStore {
 protected:
  Pinned() {
    const auto gpu = std::make_unique<Gpu>();
    gpu->power.limit_mw.set(300);
    gpu->power.enforced_limit_mw.set(300);
    gpu->power.default_limit_mw.set(400);
    gpu->power.min_limit_mw.set(100);
    gpu->power.max_limit_mw.set(700);
    gpu->thermal.gpu_c.set(40);
    gpu->thermal.tlimit_c.set(47);
    derived::store_residues(*gpu);
    begin_with(gpu.get(), 1);
  }

  template <class T>
  PinField pin(std::uint32_t offset, const Fact<T>& value) {
    PinField change{offset, sizeof value, {}};
    std::memcpy(change.value, &value, sizeof value);
    return change;
  }
  static Fact<std::uint32_t> number(std::uint32_t value) {
    Fact<std::uint32_t> fact{};
    fact.set(value);
    return fact;
  }

  static constexpr std::uint32_t kLimit = offsetof(Gpu, power.limit_mw);
  static constexpr std::uint32_t kEnforced = offsetof(Gpu, power.enforced_limit_mw);
  static constexpr std::uint32_t kMargin = offsetof(Gpu, thermal.tlimit_c);
  static constexpr std::uint32_t kTemperature = offsetof(Gpu, thermal.gpu_c);
};

// It would cost memory, and nobody could read it.
TEST_F(Pinned, AMachineOfOneProcessKeepsNoLog) {
  ASSERT_EQ(make(make_change(0, SetPowerLimit{PowerScope::gpu, 200})), kSuccess);
  ASSERT_EQ(make(make_change(0, SetPowerLimit{PowerScope::gpu, 1})), kInvalidArgument);
  EXPECT_EQ(store().log.written, 0U);
}

TEST_F(Pinned, ASettingThatIsPinnedComesBackAsItWasSetLast) {
  ASSERT_EQ(make(make_change(0, pin(kLimit, number(200)))), kSuccess);
  EXPECT_EQ(now().power.limit_mw.value, 200U);
  ASSERT_EQ(make(make_change(0, SetPowerLimit{PowerScope::gpu, 500})), kSuccess);
  EXPECT_EQ(now().power.limit_mw.value, 200U) << "the pin lies on top";
  ASSERT_EQ(make(make_change(0, ResetGpu{})), kSuccess);
  EXPECT_EQ(now().power.limit_mw.value, 200U);
  ASSERT_EQ(make(make_change(0, ReleaseField{kLimit})), kSuccess);
  EXPECT_EQ(now().power.limit_mw.value, 400U) << "what the reset left beneath";
  EXPECT_EQ(store().gpus()[0].pins.size(), 0U);
}

TEST_F(Pinned, ADerivedValueStaysWhileItsInputMoves) {
  Fact<std::int32_t> wanted{};
  wanted.set(-3);
  ASSERT_EQ(make(make_change(0, pin(kMargin, wanted))), kSuccess);
  EXPECT_EQ(derived::margin_to_limit(now()).value, -3);
  PutBytes hot{kTemperature, 8, {}};
  const Fact<std::uint32_t> temperature = number(60);
  std::memcpy(hot.bytes, &temperature, sizeof temperature);
  ASSERT_EQ(make(make_change(0, hot)), kSuccess);
  EXPECT_EQ(now().thermal.gpu_c.value, 60U);
  EXPECT_EQ(derived::margin_to_limit(now()).value, -3);
  ASSERT_EQ(make(make_change(0, ReleaseField{kMargin})), kSuccess);
  EXPECT_EQ(derived::margin_to_limit(now()).value, 27) << "47 at 40 C is 27 at 60 C";
}

TEST_F(Pinned, ACodeIsPinnedAsAValueIs) {
  Fact<std::uint32_t> lost{};
  lost.set_error(kGpuIsLost);
  ASSERT_EQ(make(make_change(0, pin(kEnforced, lost))), kSuccess);
  EXPECT_EQ(derived::enforced_limit(now()).code(), kGpuIsLost);
  ASSERT_EQ(make(make_change(0, SetPowerLimit{PowerScope::gpu, 500})), kSuccess);
  EXPECT_EQ(derived::enforced_limit(now()).code(), kGpuIsLost);
  ASSERT_EQ(make(make_change(0, ReleaseField{kEnforced})), kSuccess);
  EXPECT_EQ(derived::enforced_limit(now()).code(), kSuccess);
}

TEST_F(Pinned, ThereIsRoomForSomeAndNoMore) {
  for (std::uint32_t i = 0; i < kMaxPins; ++i)
    ASSERT_EQ(make(make_change(0, pin(8 * i, number(i)))), kSuccess) << i;
  EXPECT_EQ(make(make_change(0, pin(8 * kMaxPins, number(1)))), kInsufficientResources);
  EXPECT_EQ(make(make_change(0, pin(0, number(5)))), kSuccess) << "one that is there can be moved";
}

TEST_F(Pinned, APlaceOutsideIsRefused) {
  EXPECT_EQ(make(make_change(0, pin(sizeof(Gpu), number(1)))), kInvalidArgument);
  EXPECT_EQ(make(make_change(0, pin(sizeof(Gpu) - 4, number(1)))), kInvalidArgument);
  EXPECT_EQ(make(make_change(1, pin(kLimit, number(1)))), kInvalidArgument) << "no such GPU";
  EXPECT_EQ(make(Change{999, 0, {}}), kInvalidArgument) << "no such kind";
}

TEST_F(Pinned, OfSeveralChangesAllAreMadeOrNone) {
  const Change changes[] = {make_change(0, SetPowerLimit{PowerScope::gpu, 500}),
                            make_change(0, SetPowerLimit{PowerScope::gpu, 9000})};
  StoreFile file;
  MachineAccess machine{store(), file, true};
  const Applied applied = apply(machine, changes, 2);
  EXPECT_EQ(applied.code, kInvalidArgument);
  EXPECT_EQ(applied.failed, 1U);
  EXPECT_EQ(now().power.limit_mw.value, 300U);
}

TEST_F(Pinned, WhoMayNotChangesNothing) {
  StoreFile file;
  MachineAccess user{store(), file, false};
  EXPECT_EQ(apply(user, make_change(0, SetPowerLimit{PowerScope::gpu, 500})).code, kNoPermission);
  EXPECT_EQ(apply(user, make_change(0, SetPowerLimit{PowerScope::gpu, 9000})).code, kInvalidArgument)
      << "what is out of range is told before";
  EXPECT_EQ(apply(user, make_change(0, SetPowerLimit{PowerScope::module, 500})).code, kNotSupported);
  EXPECT_EQ(now().power.limit_mw.value, 300U);
}

}  // namespace
}  // namespace nvmlab::changes_test
