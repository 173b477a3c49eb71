// SPDX-License-Identifier: Apache-2.0
//
// Performance states and what hangs on them: ranges, offsets old and new, the texts of nvidia-settings, busy shares,
// clock monitors.
#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

class Performance : public Board {
 protected:
  abi::nvmlClockOffset_v1_t offset(int type, int pstate, int* code) const {
    auto info = versioned<abi::nvmlClockOffset_v1_t>();
    info.type = static_cast<abi::nvmlClockType_t>(type);
    info.pstate = static_cast<abi::nvmlPstates_t>(pstate);
    *code = call("nvmlDeviceGetClockOffsets", &info);
    return info;
  }
  int set_offset(int type, int pstate, int megahertz) const {
    auto info = versioned<abi::nvmlClockOffset_v1_t>();
    info.type = static_cast<abi::nvmlClockType_t>(type);
    info.pstate = static_cast<abi::nvmlPstates_t>(pstate);
    info.clockOffsetMHz = megahertz;
    return call("nvmlDeviceSetClockOffsets", &info);
  }
  std::string modes() const {
    auto text = std::make_unique<abi::nvmlDevicePerfModes_v1_t>(versioned<abi::nvmlDevicePerfModes_v1_t>());
    EXPECT_EQ(call("nvmlDeviceGetPerformanceModes", text.get()), kSuccess);
    return text->str;
  }
};

constexpr int kGraphics = 0;
constexpr int kSm = 1;
constexpr int kMemory = 2;
constexpr int kVideo = 3;

TEST_F(Performance, StatesFillAnArrayWhoseSizeIsInBytes) {
  int states[4] = {77, 77, 77, 77};
  EXPECT_EQ(call("nvmlDeviceGetSupportedPerformanceStates", states, sizeof(int)), kInsufficientSize);
  EXPECT_EQ(states[0], 77);
  EXPECT_EQ(call("nvmlDeviceGetSupportedPerformanceStates", states, sizeof states), kSuccess);
  EXPECT_EQ(states[0], 0);
  EXPECT_EQ(states[1], 5);
  EXPECT_EQ(states[2], 32);
  EXPECT_EQ(states[3], 32);
}

TEST_F(Performance, ClocksOfAState) {
  unsigned low = 0;
  unsigned high = 0;
  const auto range = [&](int type, int pstate) {
    return call("nvmlDeviceGetMinMaxClockOfPState", type, pstate, &low, &high);
  };
  ASSERT_EQ(range(kGraphics, 0), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(345U, 1980U));
  ASSERT_EQ(range(kSm, 5), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(345U, 1200U));
  ASSERT_EQ(range(kMemory, 5), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(1593U, 1593U));
  ASSERT_EQ(range(kVideo, 0), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(765U, 1545U));
  EXPECT_EQ(range(kVideo, 5), kNotSupported);
  EXPECT_EQ(range(kGraphics, 1), kUnknown);
  EXPECT_EQ(range(4, 0), kUnknown);
  EXPECT_EQ(call("nvmlDeviceGetMinMaxClockOfPState", kGraphics, 0, nullptr, &high), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetMinMaxClockOfPState", kGraphics, 0, nullptr, nullptr), kInvalidArgument);
}

TEST_F(Performance, AnOffsetIsReadBackByBothFamiliesOfFunctions) {
  int code = 0;
  const auto before = offset(kGraphics, 0, &code);
  ASSERT_EQ(code, kSuccess);
  EXPECT_EQ(before.clockOffsetMHz, 0);
  EXPECT_EQ(before.minClockOffsetMHz, -200);
  EXPECT_EQ(before.maxClockOffsetMHz, 300);
  EXPECT_EQ(set_offset(kGraphics, 0, 120), kSuccess);
  EXPECT_EQ(offset(kGraphics, 0, &code).clockOffsetMHz, 120);
  EXPECT_EQ(get<int>("nvmlDeviceGetGpcClkVfOffset"), 120);
  EXPECT_EQ(offset(kGraphics, 5, &code).clockOffsetMHz, 0) << "another state";
  EXPECT_EQ(call("nvmlDeviceSetGpcClkVfOffset", -200), kSuccess);
  EXPECT_EQ(offset(kGraphics, 0, &code).clockOffsetMHz, -200);
  EXPECT_EQ(call("nvmlDeviceSetMemClkVfOffset", 3000), kSuccess);
  EXPECT_EQ(offset(kMemory, 0, &code).clockOffsetMHz, 3000);
  EXPECT_EQ(get<int>("nvmlDeviceGetMemClkVfOffset"), 3000);
  int low = 0;
  int high = 0;
  EXPECT_EQ(call("nvmlDeviceGetGpcClkMinMaxVfOffset", &low, &high), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(-200, 300));
  EXPECT_EQ(call("nvmlDeviceGetMemClkMinMaxVfOffset", &low, &high), kSuccess);
  EXPECT_EQ(std::pair(low, high), std::pair(-1000, 3000));
}

TEST_F(Performance, OffsetsKeepToRangesStatesAndDomains) {
  int code = 0;
  for (const int wrong : {-201, 301, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(set_offset(kGraphics, 0, wrong), kInvalidArgument) << wrong;
    EXPECT_EQ(call("nvmlDeviceSetGpcClkVfOffset", wrong), kInvalidArgument) << wrong;
  }
  EXPECT_EQ(set_offset(kGraphics, 3, 0), kInvalidArgument);
  EXPECT_EQ(set_offset(kMemory, 5, 0), kNotSupported) << "this state's memory clock does not move";
  EXPECT_EQ(set_offset(kVideo, 0, 0), kNotSupported);
  EXPECT_EQ(set_offset(9, 0, 0), kInvalidArgument);
  offset(kSm, 0, &code);
  EXPECT_EQ(code, kNotSupported);
  EXPECT_EQ(offset(kGraphics, 0, &code).clockOffsetMHz, 0);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(set_offset(kGraphics, 0, 10), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetMemClkVfOffset", 10), kNoPermission);
}

TEST_F(Performance, ModesListEveryLevelWithItsOffset) {
  EXPECT_EQ(modes(),
            "perf=0, nvclock=345, nvclockmin=345, nvclockmax=1200, nvclockeditable=1, memclock=1593, memclockmin=1593, "
            "memclockmax=1593, memclockeditable=0, memtransferrate=3186, memtransferratemin=3186, "
            "memtransferratemax=3186, memtransferrateeditable=0 ; "
            "perf=1, nvclock=345, nvclockmin=345, nvclockmax=1980, nvclockeditable=1, memclock=2619, memclockmin=2619, "
            "memclockmax=2619, memclockeditable=1, memtransferrate=5238, memtransferratemin=5238, "
            "memtransferratemax=5238, memtransferrateeditable=1 ; ");
  ASSERT_EQ(set_offset(kMemory, 0, -19), kSuccess);
  ASSERT_EQ(set_offset(kGraphics, 5, 100), kSuccess);
  EXPECT_NE(modes().find("perf=0, nvclock=445, nvclockmin=445, nvclockmax=1300,"), std::string::npos) << modes();
  EXPECT_NE(modes().find("memclockmax=2600, memclockeditable=1, memtransferrate=5200,"), std::string::npos) << modes();
}

TEST_F(Performance, CurrentClocksAreThoseOfTheGetters) {
  ASSERT_EQ(call("nvmlDeviceSetGpuLockedClocks", 990, 990), kSuccess);
  auto text =
      std::make_unique<abi::nvmlDeviceCurrentClockFreqs_v1_t>(versioned<abi::nvmlDeviceCurrentClockFreqs_v1_t>());
  ASSERT_EQ(call("nvmlDeviceGetCurrentClockFreqs", text.get()), kSuccess);
  const std::string said = text->str;
  EXPECT_TRUE(said.starts_with("nvclock=990, nvclockmin=345, nvclockmax=1980, ")) << said;
  EXPECT_NE(said.find("memclock=2619, "), std::string::npos) << said;
  machine.change_gpu(0, [](Gpu& state) { state.clocks.performance_state.set(3); });
  EXPECT_EQ(call("nvmlDeviceGetCurrentClockFreqs", text.get()), kNotSupported)
      << "a state that the board does not list";
}

TEST_F(Performance, BusySharesComeFromUtilisationAndTraffic) {
  machine.change_gpu(0, [](Gpu& state) {
    state.utilization.gpu_percent.set(91);
    state.utilization.memory_percent.set(42);
    state.utilization.encoder_percent.set(10);
    state.utilization.decoder_percent.set(30);
    state.pci.link_speed_mbps.set(32000);
    state.pci.link_width_current.set(16);
    state.pci.tx_kbps.set(16'000'000);
    state.pci.rx_kbps.set(1000);
  });
  abi::nvmlGpuDynamicPstatesInfo_t info{};
  ASSERT_EQ(call("nvmlDeviceGetDynamicPstatesInfo", &info), kSuccess);
  const unsigned expected[] = {91, 42, 30, 25};
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(info.utilization[i].bIsPresent, i < 4 ? 1U : 0U) << i;
    EXPECT_EQ(info.utilization[i].percentage, i < 4 ? expected[i] : 0U) << i;
  }
  machine.change_gpu(0, [](Gpu& state) { state.utilization.gpu_percent.set_error(kNotSupported); });
  EXPECT_EQ(call("nvmlDeviceGetDynamicPstatesInfo", &info), kNotSupported);
}

TEST_F(Performance, MonitorsTellTheirFaultsToRoot) {
  auto status = std::make_unique<abi::nvmlClkMonStatus_t>();
  ASSERT_EQ(call("nvmlDeviceGetClkMonStatus", status.get()), kSuccess);
  EXPECT_EQ(status->bGlobalStatus, 1U);
  ASSERT_EQ(status->clkMonListSize, 2U);
  EXPECT_EQ(status->clkMonList[1].clkApiDomain, 16U);
  EXPECT_EQ(status->clkMonList[0].clkDomainFaultMask, 3U);
  machine.change_gpu(0, [](Gpu& state) { state.clocks.monitor_faults = {}; });
  ASSERT_EQ(call("nvmlDeviceGetClkMonStatus", status.get()), kSuccess);
  EXPECT_EQ(status->bGlobalStatus, 0U);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetClkMonStatus", status.get()), kNoPermission);
}

// A data-centre board of the shipped profiles lists its states and lets nobody move their clocks.
class ShippedBoard : public Board {
 protected:
  ShippedBoard() : Board("dgx-h100") {}
};

TEST_F(ShippedBoard, HasStatesAndNoOffsets) {
  int states[16];
  EXPECT_EQ(call("nvmlDeviceGetSupportedPerformanceStates", states, sizeof states), kSuccess);
  auto info = versioned<abi::nvmlClockOffset_v1_t>();
  EXPECT_EQ(call("nvmlDeviceGetClockOffsets", &info), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceSetClockOffsets", &info), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceSetGpcClkVfOffset", 0), kNotSupported);
  int offset = 0;
  EXPECT_EQ(call("nvmlDeviceGetMemClkVfOffset", &offset), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceGetGpcClkMinMaxVfOffset", &offset, &offset), kNotSupported);
}

}  // namespace
}  // namespace nvmlab::driver_test
