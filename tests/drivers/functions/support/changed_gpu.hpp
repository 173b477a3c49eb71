// SPDX-License-Identifier: Apache-2.0
// A machine that is shared: the driver is asked about its GPU 3, and the test changes it from the other side by the
// engine's one door.
#pragma once

#include "engine/change/change.hpp"
#include "engine/store/store_file.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {

class ChangedGpu : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    ASSERT_FALSE(attach_store(machine.path().c_str(), &control));
    gpu = driver().device(3);
    ASSERT_NE(gpu, 0U);
  }
  void TearDown() override {
    detach_store(&control);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }

  nvmlab::Code change(const Change& change) {
    MachineAccess whole{*control.store, control.file, true};
    return apply(whole, change).code;
  }
  static int temperature(Word device) {
    unsigned celsius = 0;
    return driver().call("nvmlDeviceGetTemperature", device, 0, &celsius);
  }

  const Environment role{{"NVMLAB_ROLE", "root"}};
  SharedMachine machine{"dgx-h100"};
  AttachedStore control;
  Word gpu = 0;
};

}  // namespace nvmlab::driver_test
