// SPDX-License-Identifier: Apache-2.0
// Field values: every id of the newest header on a board that has all there is, and the counters that can be cleared.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

struct Value {  // nvmlFieldValue_t
  unsigned id, scope;
  long long timestamp, latency;
  unsigned type;
  int code;
  std::uint64_t value;
};
static_assert(sizeof(Value) == 40);

class Fields : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  static Value get(const std::string& name, unsigned scope = 0) {
    Value value{};
    value.id = static_cast<unsigned>(Api::get().enumerator(name));
    value.scope = scope;
    EXPECT_EQ(driver().call("nvmlDeviceGetFieldValues", driver().device(0), 1, &value), kSuccess);
    return value;
  }
  static int clear(const std::string& name, unsigned scope = 0) {
    Value value{};
    value.id = static_cast<unsigned>(Api::get().enumerator(name));
    value.scope = scope;
    const int code = driver().call("nvmlDeviceClearFieldValues", driver().device(0), 1, &value);
    return code == kSuccess ? value.code : code;
  }
  static void expect(const std::string& name, std::uint64_t number, unsigned scope = 0) {
    const Value value = get("NVML_FI_" + name, scope);
    EXPECT_EQ(value.code, kSuccess) << name;
    EXPECT_EQ(value.value, number) << name;
  }

  SharedMachine machine{(source_folder() / "tests/drivers/functions/data/every-counter.yaml").string()};
};

TEST_F(Fields, EveryIdHasACodeOfItsOwn) {
  constexpr int deprecated = 26;  // whether a reset is due, by the newest driver
  const auto last = static_cast<unsigned>(Api::get().enumerator("NVML_FI_MAX"));
  unsigned answered = 0;
  for (unsigned id = 0; id < last + 3; ++id) {
    Value value{};
    value.id = id;
    ASSERT_EQ(driver().call("nvmlDeviceGetFieldValues", driver().device(0), 1, &value), kSuccess);
    EXPECT_TRUE(value.code == kSuccess || value.code == kNotSupported || value.code == deprecated)
        << id << ": " << value.code;
    EXPECT_LE(value.type, 6U) << id;
    answered += value.code == kSuccess ? 1 : 0;
  }
  EXPECT_GT(answered, 140U) << "all but those of links that the board lacks";
}

TEST_F(Fields, TheLimitInForceIsThatOfItsScope) {
  const char* const id = "NVML_FI_DEV_POWER_CURRENT_LIMIT";
  unsigned limit = 0;
  ASSERT_EQ(driver().call("nvmlDeviceGetEnforcedPowerLimit", driver().device(0), &limit), kSuccess);
  ASSERT_GT(limit, 0U);
  const Value board = get(id, 0);
  EXPECT_EQ(board.code, kSuccess);
  EXPECT_EQ(board.type, get("NVML_FI_DEV_POWER_REQUESTED_LIMIT").type);
  EXPECT_EQ(board.value, limit);
  EXPECT_EQ(get(id, 1).code, get("NVML_FI_DEV_POWER_REQUESTED_LIMIT", 1).code);
  EXPECT_EQ(get(id, 2).code, get("NVML_FI_DEV_POWER_REQUESTED_LIMIT", 2).code);
  EXPECT_EQ(get(id, 3).code, get("NVML_FI_DEV_POWER_REQUESTED_LIMIT", 3).code);
  EXPECT_NE(get(id, 3).code, kSuccess);
}

TEST_F(Fields, LinksAndSums) {
  expect("DEV_NVLINK_LINK_COUNT", 2);
  expect("DEV_NVLINK_REPLAY_ERROR_COUNT_L1", 1);
  expect("DEV_NVLINK_REPLAY_ERROR_COUNT_TOTAL", 2);
  expect("DEV_NVLINK_ECC_DATA_ERROR_COUNT_TOTAL", 10);
  expect("DEV_NVLINK_BANDWIDTH_C1_L0", 70);
  expect("DEV_NVLINK_BANDWIDTH_C0_TOTAL", 60);
  expect("DEV_NVLINK_GET_POWER_STATE", 1, 1);
  expect("DEV_NVLINK_GET_POWER_THRESHOLD", 7);
  expect("DEV_NVLINK_GET_POWER_THRESHOLD_UNITS", 1);
  EXPECT_EQ(get("NVML_FI_DEV_NVLINK_SPEED_MBPS_L5").code, kNotSupported);
  EXPECT_EQ(get("NVML_FI_DEV_NVLINK_GET_SPEED", 36).code, kInvalidArgument);
  EXPECT_EQ(get("NVML_FI_DEV_NVLINK_COUNT_VL15_DROPPED").code, kNotSupported);
}

TEST_F(Fields, PortsAndChipToChipLinks) {
  const auto port = machine.gpu(0).nvlink_ports.ports[0];
  expect("DEV_NVLINK_COUNT_XMIT_PACKETS", port.xmit_packets.value);
  expect("DEV_NVLINK_COUNT_FEC_HISTORY_15", port.fec_history_15.value);
  expect("DEV_NVLINK_GET_DATA_RATE", port.data_rate_mbps.value);
  EXPECT_EQ(get("NVML_FI_DEV_NVLINK_COUNT_XMIT_PACKETS", 1).code, kNotSupported);
  expect("DEV_C2C_LINK_COUNT", 2);
  expect("DEV_C2C_LINK_GET_STATUS", 0, 1);
  expect("DEV_C2C_LINK_ERROR_REPLAY_B2B", 6, 1);
  EXPECT_EQ(get("NVML_FI_DEV_C2C_LINK_GET_MAX_BW", 2).code, kNotSupported);
}

TEST_F(Fields, MemoryAndPolicies) {
  expect("DEV_RETIRED_SBE", 2);
  expect("DEV_RETIRED_DBE", 1);
  expect("DEV_RETIRED_PENDING_SBE", 1);
  expect("DEV_REMAPPED_ROWS_COR_INACTIVE", 2);
  expect("DEV_BANK_REMAPPER_HISTOGRAM_MAX", 60);
  expect("DEV_PERF_POLICY_BOARD_LIMIT", 11'000);
  expect("DEV_PERF_POLICY_TOTAL_BASE_CLOCKS", 15'000);
  EXPECT_EQ(get("NVML_FI_DEV_ENERGY").value, get("NVML_FI_DEV_TOTAL_ENERGY_CONSUMPTION").value);
}

// Policies of nvmlDeviceGetViolationStatus, in nanoseconds as the fields.
TEST_F(Fields, ViolationsOfEveryPolicy) {
  const std::map<unsigned, std::uint64_t> expected = {
      {3, 11'000}, {4, 12'000}, {5, 13'000}, {10, 14'000}, {11, 15'000}};
  for (const auto& [policy, held] : expected) {
    std::uint64_t status[2] = {};
    EXPECT_EQ(driver().call("nvmlDeviceGetViolationStatus", driver().device(0), policy, status), kSuccess) << policy;
    EXPECT_EQ(status[1], held) << policy;
    EXPECT_GT(status[0], 0U);
  }
}

TEST_F(Fields, CountersAreClearedAndOthersAreNot) {
  EXPECT_AS_ROOT([] {
    return Steps()
        .expect(clear("NVML_FI_DEV_NVLINK_COUNT_RCV_BYTES"), kSuccess, "a port")
        .expect(clear("NVML_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL"), kSuccess, "all links")
        .expect(clear("NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX", 1), kSuccess, "one link")
        .expect(clear("NVML_FI_DEV_PCIE_COUNT_CORRECTABLE_ERRORS"), kSuccess, "a number of 32 bits")
        .expect(clear("NVML_FI_DEV_C2C_LINK_ERROR_INTR", 1), kSuccess, "chip to chip")
        .expect(clear("NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX", 2), kNotSupported, "no link")
        .expect(clear("NVML_FI_DEV_NVLINK_THROUGHPUT_DATA_TX", 99), kInvalidArgument, "no link at all")
        .expect(clear("NVML_FI_DEV_POWER_INSTANT"), kNotSupported, "no counter")
        .said();
  });
  const Gpu gpu = machine.gpu(0);
  EXPECT_EQ(gpu.nvlink_ports.ports[0].rcv_bytes.value, 0U);
  EXPECT_NE(gpu.nvlink_ports.ports[0].xmit_bytes.value, 0U);
  EXPECT_EQ(gpu.nvlink.links[0].crc_flit_errors.value + gpu.nvlink.links[1].crc_flit_errors.value, 0U);
  EXPECT_EQ(gpu.nvlink.links[0].data_tx_kib.value, 1024U);
  EXPECT_EQ(gpu.nvlink.links[1].data_tx_kib.value, 0U);
  EXPECT_EQ(gpu.pci.correctable_errors.value, 0U);
  EXPECT_EQ(gpu.c2c.links[1].interrupt_errors.value, 0U);
  EXPECT_EQ(gpu.c2c.links[0].interrupt_errors.value, 1U);
  Value none{};
  for (const int count : {0, -1})
    EXPECT_EQ(driver().call("nvmlDeviceClearFieldValues", driver().device(0), count, &none), kInvalidArgument);
}

TEST_F(Fields, ClearingTakesRoot) {
  EXPECT_EQ(as_nobody([] {
              return Steps().expect(clear("NVML_FI_DEV_NVLINK_COUNT_RCV_BYTES"), kNoPermission, "clear").said();
            }),
            "");
}

TEST_F(Fields, WithoutErrorCorrectionNothingIsCounted) {
  EXPECT_EQ(get("NVML_FI_DEV_ECC_SBE_VOL_TOTAL").code, kSuccess);
  machine.change_gpu(0, [](Gpu& gpu) { gpu.ecc.mode.set(0); });
  EXPECT_EQ(get("NVML_FI_DEV_ECC_SBE_VOL_TOTAL").code, kNotSupported);
  EXPECT_EQ(get("NVML_FI_DEV_ECC_CURRENT").code, kSuccess);
  unsigned long long count = 0;
  EXPECT_EQ(driver().call("nvmlDeviceGetTotalEccErrors", driver().device(0), 0, 0, &count), kNotSupported);
}

}  // namespace
}  // namespace nvmlab::driver_test
