// SPDX-License-Identifier: Apache-2.0
//
// The table that nvidia-smi prints without arguments, as people paste it: all that it says is read.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

constexpr const char* kHead =
    "| NVIDIA-SMI 580.126.09             Driver Version: 580.126.09     CUDA Version: 13.0     |\n";
constexpr const char* kProcesses =
    "| Processes:                                                                              |\n"
    "|  GPU   GI   CI              PID   Type   Process name                        GPU Memory |\n";

TEST(Table, SaysWhatOneGpuIsAndDoes) {
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  NVIDIA X100                    On  |   00000000:01:00.0 Off |                    0 |\n"
                     "| 30%   33C    P8             16W /   72W |       1MiB /  23034MiB |      7%      Default |\n" +
                     kProcesses +
                     "|    0   N/A  N/A            2553      G   /usr/lib/xorg/Xorg                       43MiB |\n"
                     "|    0   N/A  N/A            3100    C+G   ...me path/with blanks                     N/A |\n"}});
  EXPECT_EQ(value(made, 0, "thermal.fans[0].speed_percent"), "30");
  EXPECT_EQ(value(made, 0, "utilization.gpu_percent"), "7");
  EXPECT_EQ(value(made, 0, "modes.persistence"), "enabled");
  EXPECT_EQ(value(made, 0, "modes.display_active"), "disabled");
  EXPECT_EQ(value(made, 0, "processes.running"),
            "[{pid: 2553, kinds: 2, used_bytes: 45088768, name: \"/usr/lib/xorg/Xorg\"}, {pid: 3100, kinds: 3, name: "
            "\"...me path/with blanks\"}]");
}

TEST(Table, OfDriversBefore450HasNoIdsOfInstances) {
  const auto made = imported({{"t.txt",
                               "| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |\n"
                               "|   0  Tesla X100          Off  | 00000000:00:04.0 Off |                    0 |\n"
                               "| N/A   77C    P0    68W /  70W |    163MiB / 15079MiB |     95%      Default |\n"
                               "| Processes:                                                       GPU Memory |\n"
                               "|  GPU       PID   Type   Process name                             Usage      |\n"
                               "|    0      1234      C   python                                       153MiB |\n"}});
  EXPECT_EQ(value(made, 0, "processes.running"), "[{pid: 1234, kinds: 1, used_bytes: 160432128, name: python}]");
  EXPECT_EQ(value(made, 0, "modes.persistence"), "disabled");
}

// GPUs that share the memory of the CPU, as integrated ones do: what a board of the family has is not made up for them.
TEST(Table, MemoryThatIsNotSupported) {
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  NVIDIA X100                    On  |   0000000F:01:00.0 Off |                  N/A |\n"
                     "| N/A   36C    P8              3W /  N/A  | Not Supported          |      0%      Default |\n"}});
  EXPECT_EQ(value(made, 0, "memory.total_bytes"), "null");
  EXPECT_NE(made.yaml.find("total_bytes: null"), std::string::npos) << made.yaml;
  EXPECT_EQ(value(made, 0, "pci.domain"), "15");
}

TEST(Table, CountsOnlyWhereNothingBetterTells) {
  const auto made = imported(
      {{"q.xml", sample::log({1}, "<fan_speed>31 %</fan_speed><processes></processes>")},
       {"t.txt", std::string(kHead) +
                     "|   0  NVIDIA X100                    On  |   00000000:01:00.0 Off |                    0 |\n"
                     "| 99%   33C    P8             16W /   72W |       1MiB /  23034MiB |      7%      Default |\n" +
                     kProcesses +
                     "|    0   N/A  N/A            2553      G   /usr/lib/xorg/Xorg                       43MiB |\n"}});
  EXPECT_EQ(value(made, 0, "thermal.fans[0].speed_percent"), "31");
  EXPECT_EQ(value(made, 0, "processes.running"), "[]");
}

// A name that nvidia-smi cut to the width of its column.
std::string cut_name(const std::string& name, const std::string& memory) {
  const auto made = imported({{"t.txt", std::string(kHead) + "|   0  " + name +
                                            "   Off  |   00000000:01:00.0  On |                  N/A |\n"
                                            "|  0%   42C    P8             12W /  250W |   " +
                                            memory + " |      3%      Default |\n"}});
  return value(made, 0, "identity.name");
}

TEST(Table, ACutNameIsThatOfTheOneBoardThatHasIt) {
  EXPECT_EQ(cut_name("NVIDIA GeForce RTX 2080 ...", "317MiB /   8192MiB"), "NVIDIA GeForce RTX 2080 SUPER");
  EXPECT_EQ(cut_name("NVIDIA A100-SXM4...", "1MiB / 81920MiB"), "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(cut_name("NVIDIA A100-SXM4...", "1MiB / 40536MiB"), "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(cut_name("NVIDIA A100-SXM4...", "1MiB / 20000MiB"), "NVIDIA A100-SXM4...");
  EXPECT_EQ(cut_name("NVIDIA GeForce RTX...", "N/A"), "NVIDIA GeForce RTX...") << "several boards";
  EXPECT_EQ(cut_name("NVIDIA X100 Blac...", "1MiB / 8192MiB"), "NVIDIA X100 Blac...") << "no board";
}

TEST(Table, TheRightColumnIsRead) {
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  NVIDIA X100                    On  |   00000000:01:00.0 Off |                    2 |\n"
                     "| N/A   26C    P8             28W /  600W |       0MiB /  85651MiB |     N/A   E. Process |\n"
                     "|                                         |                        |             Disabled |\n"
                     "|   1  NVIDIA X100                   TCC  |   00000000:02:00.0 Off |                  Off |\n"
                     "|  0%   26C    P8             28W /  600W |       0MiB /  85651MiB |      0%   Prohibited |\n"
                     "|                                         |                        |                  N/A |\n"}});
  EXPECT_EQ(value(made, 0, "ecc.mode"), "enabled");
  EXPECT_EQ(value(made, 0, "ecc.mode_pending"), "enabled") << "NVML returns both or none";
  EXPECT_EQ(value(made, 0, "ecc.uncorrected_volatile.total"), "2");
  EXPECT_EQ(value(made, 0, "modes.compute_mode"), "exclusive_process");
  EXPECT_EQ(value(made, 0, "modes.mig"), "disabled");
  EXPECT_EQ(value(made, 0, "utilization.gpu_percent"), "null");
  EXPECT_EQ(value(made, 0, "thermal.fans"), "[]");
  EXPECT_EQ(value(made, 1, "ecc.mode"), "disabled");
  EXPECT_EQ(value(made, 1, "modes.compute_mode"), "prohibited");
  EXPECT_EQ(value(made, 1, "modes.mig"), "null");
  EXPECT_EQ(value(made, 1, "modes.driver_model"), "wdm");
  EXPECT_EQ(value(made, 1, "modes.persistence"), "null");
}

// nvidia-smi shows no MIG device if one of these is missing.
TEST(Table, MigDevicesOfAnUnknownChipAreThere) {
  const auto row = [](const std::string& ids, const std::string& errors) {
    return "|  0    " + ids + "  |              13MiB / 19968MiB    | 28      " + errors +
           " |  2   0    1    0    0 |\n|                  |               0MiB / 32767MiB    |           |           "
           "|\n";
  };
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  NVIDIA A100 80GB PCIe         Off  |   00000000:86:00.0 Off |                   On |\n"
                     "| N/A   34C    P0             67W /  300W |      45MiB /  81920MiB |     N/A      Default |\n"
                     "|                                         |                        |              Enabled |\n" +
                     row("3    0   0", "1") + row("5    0   1", "2") + row("6    0   2", "0")}});
  EXPECT_EQ(value(made, 0, "ecc.uncorrected_volatile.sram"), "3");
  EXPECT_EQ(value(made, 0, "modes.mig_max_devices"), "7");
  EXPECT_EQ(value(made, 0, "mig.missing_slice"), "10");
}

TEST(Table, WordsOfErrorsAreReturnCodes) {
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  ERR!                           On  |   00000000:19:00.0 Off |                 ERR! |\n"
                     "| ERR!  ERR! ERR!            ERR! /  ERR! |       0MiB /  46068MiB |    ERR!      Default |\n"
                     "|                                         |                        |                 ERR! |\n"}});
  for (const char* field : {"identity.name", "ecc.mode", "thermal.gpu_c", "clocks.performance_state", "power.draw_mw",
                            "power.enforced_limit_mw", "utilization.gpu_percent", "modes.mig"})
    EXPECT_EQ(value(made, 0, field), "{answer: UNKNOWN}") << field;
  EXPECT_EQ(value(made, 0, "thermal.fans"), "[{speed_percent: {answer: UNKNOWN}}]");
}

TEST(Table, ACellThatIsNotUnderstoodIsListed) {
  const auto made = imported(
      {{"t.txt", std::string(kHead) +
                     "|   0  NVIDIA X100                    On  |   00000000:01:00.0 Off |                  Odd |\n"
                     "| 30%   33C    P8             16W /   72W |       1MiB /  23034MiB |      7%      Default |\n"}});
  EXPECT_EQ(std::ranges::count(made.notes, "t.txt:2: 'Odd' is not understood; it is left out"), 1);
}

}  // namespace
}  // namespace nvmlab::importer
