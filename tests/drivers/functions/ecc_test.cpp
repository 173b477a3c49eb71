// SPDX-License-Identifier: Apache-2.0
// Errors and what became of memory: the three shapes of counters, errors by place, pages with their times, rows, banks.
#include <gtest/gtest.h>

#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

class EccErrors : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(driver().init(), kSuccess);
    gpu = driver().device(0);
  }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }
  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
  Word gpu = 0;
};

struct SramError {  // nvmlEccSramUniqueUncorrectedErrorEntry_v1_t
  unsigned unit, location, sublocation, extlocation, address, parity, times;
};
struct SramErrors {
  unsigned version = sizeof(SramErrors) | 1U << 24;
  unsigned count = 0;
  SramError* entries = nullptr;
};

TEST_F(EccErrors, OnChipErrorsByPlaceAlwaysTellTheirNumber) {
  SramErrors errors;
  ASSERT_EQ(driver().call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", gpu, &errors), kSuccess);
  EXPECT_EQ(errors.count, 2U);
  SramError entries[3] = {};
  errors.entries = entries;
  errors.count = 1;
  EXPECT_EQ(driver().call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", gpu, &errors), kInsufficientSize);
  EXPECT_EQ(errors.count, 2U);
  EXPECT_EQ(entries[0].unit, 0U);
  errors.count = 3;
  ASSERT_EQ(driver().call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", gpu, &errors), kSuccess);
  EXPECT_EQ(errors.count, 2U);
  EXPECT_EQ(entries[1].address, 15U);
  EXPECT_EQ(entries[0].parity, 1U);
  EXPECT_EQ(entries[1].times, 16U);
}

TEST_F(EccErrors, ClearingTheAggregateForgetsThePlaces) {
  EXPECT_AS_ROOT([this] {
    return Steps().expect(driver().call("nvmlDeviceClearEccErrorCounts", gpu, 1), kSuccess, "clear").said();
  });
  SramErrors errors;
  ASSERT_EQ(driver().call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", gpu, &errors), kSuccess);
  EXPECT_EQ(errors.count, 0U);
}

TEST_F(EccErrors, RetiredPagesHaveTheirTimes) {
  unsigned count = 2;
  unsigned long long addresses[2] = {};
  unsigned long long times[2] = {};
  ASSERT_EQ(driver().call("nvmlDeviceGetRetiredPages_v2", gpu, 0, &count, addresses, times), kSuccess);
  EXPECT_EQ(addresses[1], 0x2000U);
  EXPECT_EQ(times[1], 1700000000000002U);
  EXPECT_EQ(driver().call("nvmlDeviceGetRetiredPages_v2", gpu, 0, &count, addresses, nullptr), kInvalidArgument);
  EXPECT_EQ(driver().call("nvmlDeviceGetRetiredPages_v2", gpu, 0, &count, nullptr, times), kInvalidArgument);
  count = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetRetiredPages_v2", gpu, 1, &count, nullptr, nullptr), kInsufficientSize);
  EXPECT_EQ(count, 1U);
}

TEST_F(EccErrors, RowsInUseAndOthersAddUpToTheRowsOfTheOlderFunction) {
  unsigned rows[6] = {};
  ASSERT_EQ(driver().call("nvmlDeviceGetRemappedRows_v2", gpu, rows), kSuccess);
  unsigned old[4] = {};
  ASSERT_EQ(driver().call("nvmlDeviceGetRemappedRows", gpu, &old[0], &old[1], &old[2], &old[3]), kSuccess);
  EXPECT_EQ(rows[0], 3U);
  EXPECT_EQ(rows[3], 1U);
  EXPECT_EQ(rows[0] + rows[1], old[0]);
  EXPECT_EQ(rows[2] + rows[3], old[1]);
  EXPECT_EQ(rows[4], old[2]);
  EXPECT_EQ(rows[5], old[3]);
}

TEST_F(EccErrors, BanksAndMemoryBeyondRepair) {
  unsigned banks[5] = {};
  ASSERT_EQ(driver().call("nvmlDeviceGetBankRemapperStatus_v1", gpu, banks), kSuccess);
  const unsigned expected[5] = {3, 1, 1, 60, 4};
  EXPECT_TRUE(std::equal(banks, banks + 5, expected));
  unsigned flag = 9;
  ASSERT_EQ(driver().call("nvmlDeviceGetUnrepairableMemoryFlag_v1", gpu, &flag), kSuccess);
  EXPECT_EQ(flag, 1U);
}

TEST(EccErrorsOfBoards, ShippedBoardsHaveWhatTheirGenerationHas) {
  struct {
    const char* profile;
    int rows, flag;
  } const boards[] = {{"dgx-h100", kSuccess, kSuccess},
                      {"dgx-a100", kSuccess, kNotSupported},
                      {"g4dn-xlarge", kNotSupported, kNotSupported}};
  for (const auto& board : boards) {
    const SharedMachine machine(board.profile);
    ASSERT_EQ(driver().init(), kSuccess);
    const Word gpu = driver().device(0);
    unsigned numbers[6] = {};
    SramErrors errors;
    EXPECT_EQ(driver().call("nvmlDeviceGetRemappedRows_v2", gpu, numbers), board.rows) << board.profile;
    EXPECT_EQ(driver().call("nvmlDeviceGetUnrepairableMemoryFlag_v1", gpu, numbers), board.flag) << board.profile;
    EXPECT_EQ(driver().call("nvmlDeviceGetBankRemapperStatus_v1", gpu, numbers), kNotSupported) << board.profile;
    EXPECT_EQ(driver().call("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts", gpu, &errors), kNotSupported);
    EXPECT_EQ(driver().shutdown(), kSuccess);
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
