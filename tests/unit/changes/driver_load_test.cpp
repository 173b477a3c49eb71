// SPDX-License-Identifier: Apache-2.0
// The driver is unloaded and loaded again: what refuses it, what comes back, and what a killed writer leaves.
#include "engine/topics/driver/driver_load.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

#include "engine/change/change.hpp"
#include "tests/unit/changes/built_store.hpp"

namespace nvmlab::changes_test {
namespace {

constexpr std::uint32_t kGpus = 3;

class DriverLoad : public testing::Test, protected BuiltStore {
 protected:
  DriverLoad() {
    const auto gpus = std::make_unique<Gpu[]>(kGpus);
    for (std::uint32_t i = 0; i < kGpus; ++i) {
      gpus[i].modes.persistence.set(0);
      gpus[i].modes.compute_mode.set(0);
      gpus[i].modes.drain.set(0);
      gpus[i].power.limit_mw.set(400);
      gpus[i].power.default_limit_mw.set(400);
      gpus[i].power.min_limit_mw.set(100);
      gpus[i].power.max_limit_mw.set(700);
    }
    begin_with(gpus.get(), kGpus);
  }

  Code load() { return make(make_change(MachinePart::driver, LoadDriver{})); }
  Code unload(bool forced = false) { return make(make_change(MachinePart::driver, UnloadDriver{forced ? 1u : 0u})); }
  std::vector<bool> there() {
    std::vector<bool> all;
    for (std::uint32_t i = 0; i < kGpus; ++i)
      all.push_back(present(slot(i)));
    return all;
  }
};

using Presence = std::vector<bool>;

TEST_F(DriverLoad, TakesAllGpusAndBringsThemBackAnew) {
  ASSERT_EQ(make(make_change(1, SetPowerLimit{PowerScope::gpu, 300})), kSuccess);
  const std::uint64_t before = slot(1).handle;
  EXPECT_EQ(init_answer(store()), kSuccess);
  ASSERT_EQ(unload(), kSuccess);
  EXPECT_EQ(there(), Presence(kGpus, false));
  EXPECT_EQ(init_answer(store()), kDriverNotLoaded);
  EXPECT_EQ(make(make_change(1, SetPowerLimit{PowerScope::gpu, 200})), kDriverNotLoaded);
  EXPECT_EQ(make(make_change(1, ReturnGpu{})), kDriverNotLoaded) << "nobody is there to discover it";
  EXPECT_EQ(unload(), kInvalidState);
  ASSERT_EQ(load(), kSuccess);
  EXPECT_EQ(there(), Presence(kGpus, true));
  EXPECT_EQ(init_answer(store()), kSuccess);
  EXPECT_EQ(driver_loads(store()), 1U);
  EXPECT_NE(slot(1).handle, before);
  EXPECT_EQ(now(1).power.limit_mw.value, 400U);
  EXPECT_EQ(load(), kInvalidState);
}

TEST_F(DriverLoad, IsRefusedWhileSomethingHoldsIt) {
  Fact<std::uint32_t> on{};
  on.set(1);
  PutBytes persistence{offsetof(Gpu, modes.persistence), 8, {}};
  std::memcpy(persistence.bytes, &on, sizeof on);
  ASSERT_EQ(make(make_change(2, persistence)), kSuccess);
  EXPECT_EQ(unload(), kInUse);
  EXPECT_EQ(there(), Presence(kGpus, true));
  ASSERT_EQ(unload(true), kSuccess);
  ASSERT_EQ(load(), kSuccess);
  EXPECT_EQ(now(2).modes.persistence.value, 0U);
}

TEST_F(DriverLoad, AGpuThatWasRemovedBeforeStaysRemoved) {
  ASSERT_EQ(make(make_change(0, SetDrain{1})), kSuccess);
  ASSERT_EQ(make(make_change(0, RemoveGpu{})), kSuccess);
  ASSERT_EQ(unload(), kSuccess);
  ASSERT_EQ(load(), kSuccess);
  EXPECT_EQ(there(), (Presence{false, true, true}));
  ASSERT_EQ(make(make_change(0, ReturnGpu{})), kSuccess);
  EXPECT_EQ(there(), Presence(kGpus, true));
}

// A killed writer has published which way it took, and has gone some of it.
TEST_F(DriverLoad, TheNextWriterFinishesWhatAKilledOneBegan) {
  const auto phase = [this](DriverPhase way) { store().header.driver_phase = static_cast<std::uint32_t>(way); };
  phase(DriverPhase::unloading);
  slot(0).with_driver = 1;
  remove_gpu(&store(), &slot(0));
  slot(1).with_driver = 1;  // and was killed before it went
  EXPECT_EQ(init_answer(store()), kDriverNotLoaded);
  EXPECT_EQ(make(make_change(MachinePart::driver, FailInit{0})), kSuccess);
  EXPECT_EQ(driver_phase(store()), DriverPhase::unloaded);
  EXPECT_EQ(there(), Presence(kGpus, false));

  phase(DriverPhase::loading);
  return_gpu(&store(), &slot(0));  // and was killed before it noted that
  EXPECT_EQ(make(make_change(MachinePart::driver, FailInit{0})), kSuccess);
  EXPECT_EQ(driver_phase(store()), DriverPhase::loaded);
  EXPECT_EQ(there(), Presence(kGpus, true));
  for (std::uint32_t i = 0; i < kGpus; ++i)
    EXPECT_EQ(slot(i).with_driver, 0U) << i;
}

TEST_F(DriverLoad, InitFailsWithTheCodeThatWasAskedFor) {
  ASSERT_EQ(make(make_change(MachinePart::driver, FailInit{18})), kSuccess);
  EXPECT_EQ(init_answer(store()), 18U);
  ASSERT_EQ(unload(), kSuccess);
  EXPECT_EQ(init_answer(store()), kDriverNotLoaded) << "comes first";
  ASSERT_EQ(load(), kSuccess);
  EXPECT_EQ(init_answer(store()), 18U);
  ASSERT_EQ(make(make_change(MachinePart::driver, FailInit{kSuccess})), kSuccess);
  EXPECT_EQ(init_answer(store()), kSuccess);
}

TEST_F(DriverLoad, IsAnAdministrators) {
  MachineAccess user{store(), file_, false};
  EXPECT_EQ(apply(user, make_change(MachinePart::driver, UnloadDriver{0})).code, kNoPermission);
  EXPECT_EQ(there(), Presence(kGpus, true));
}

}  // namespace
}  // namespace nvmlab::changes_test
