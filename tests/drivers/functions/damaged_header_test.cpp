// SPDX-License-Identifier: Apache-2.0
// What a writer does to the header of a machine that is up leads its readers nowhere.
#include <gtest/gtest.h>

#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

TEST(DamagedHeader, ACountOfGpusIsTakenOnce) {
  const SharedMachine machine("dgx-h100");
  ASSERT_EQ(driver().init(), kSuccess);
  machine.store().header.gpu_count = kMaxGpus;
  EXPECT_EQ(driver().count(), 8U);
  Word device = 0;
  for (const unsigned index : {8U, 100U, kMaxGpus - 1}) {
    EXPECT_EQ(driver().call("nvmlDeviceGetHandleByIndex_v2", index, &device), kInvalidArgument) << index;
    const Word beyond = make_handle(HandleKind::device, 1, index);
    unsigned cores = 0;
    EXPECT_EQ(driver().call("nvmlDeviceGetNumGpuCores", beyond, &cores), kInvalidArgument) << index;
  }
  EXPECT_EQ(driver().call("nvmlDeviceGetHandleByUUID", "GPU-nobody", &device), kNotFound);
  machine.store().header.gpu_count = 8;
  EXPECT_EQ(driver().shutdown(), kSuccess);
}

}  // namespace
}  // namespace nvmlab::driver_test
