// SPDX-License-Identifier: Apache-2.0
// A machine, a set of events in this process, and another mapping of the machine from which events are raised.
#pragma once

#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "engine/topics/events/event_types.hpp"
#include "tests/drivers/functions/support/steps.hpp"
#include "tests/support/waiting.hpp"

namespace nvmlab::driver_test {

struct EventData {
  Word device;
  unsigned long long type, data;
  unsigned gpu_instance, compute_instance;
};
inline constexpr unsigned kNow = 0;
inline constexpr unsigned kLong = test::kDeadlineMs;

class Delivery : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    ASSERT_EQ(driver().call("nvmlEventSetCreate", &set), kSuccess);
    ASSERT_FALSE(attach_store(machine.path().c_str(), &control));
  }
  void TearDown() override {
    detach_store(&control);
    EXPECT_EQ(driver().call("nvmlEventSetFree", set), kSuccess);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }

  // As `nvmlab event` does, from another mapping of the store.
  nvmlab::Code change(const Change& change) {
    MachineAccess whole{*control.store, control.file, true};
    return apply(whole, change).code;
  }
  nvmlab::Code event(std::uint32_t gpu, std::uint64_t type, std::uint64_t data = 0) {
    return change(make_change(gpu, RaiseEvent{type, data, kNoInstance, kNoInstance, false}));
  }
  void listen(unsigned gpu, unsigned long long types) {
    ASSERT_EQ(driver().call("nvmlDeviceRegisterEvents", driver().device(gpu), types, set), kSuccess);
  }
  int wait(EventData& data, unsigned timeout_ms) {
    return driver().call("nvmlEventSetWait_v2", set, &data, timeout_ms);
  }

  SharedMachine machine{"dgx-h100"};
  AttachedStore control;
  Word set = 0;
};

}  // namespace nvmlab::driver_test
