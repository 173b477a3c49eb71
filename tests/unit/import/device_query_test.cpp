// SPDX-License-Identifier: Apache-2.0
//
// deviceQuery: CUDA's own values, those that NVML has as well, and what they say where nvidia-smi says nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/import/samples.hpp"

namespace nvmlab::importer {
namespace {

TEST(DeviceQuery, FillsWhatNvidiaSmiDoesNotTell) {
  // CUDA counts the faster board first; nvidia-smi counts by address.
  const auto made = imported({{"q.xml", sample::log({0x18, 0x2A})}, {"cuda.txt", sample::device_query({0x2A, 0x18})}});
  EXPECT_EQ(made.notes, std::vector<std::string>());
  EXPECT_EQ(value(made, 0, "identity.core_count"), "15360");
  EXPECT_EQ(value(made, 1, "memory.bus_width_bits"), "5120");
  EXPECT_EQ(value(made, 1, "cuda.multiprocessor_count"), "120");
  EXPECT_EQ(value(made, 0, "cuda.total_memory_bytes"), "84934656000");
  EXPECT_EQ(value(made, 0, "cuda.maximum_texture3d"), "[16384, 16384, 16384]");
  EXPECT_EQ(value(made, 0, "cuda.maximum_texture2d_layered"), "[32768, 32768, 2048]");
  EXPECT_EQ(value(made, 0, "cuda.max_block_dim"), "[1024, 1024, 64]");
  EXPECT_EQ(value(made, 0, "cuda.async_engine_count"), "3");
  EXPECT_EQ(value(made, 0, "cuda.kernel_exec_timeout"), "no");
  EXPECT_EQ(value(made, 0, "modes.compute_mode"), "exclusive_process");
  EXPECT_EQ(value(made, 0, "clocks.max_sm_mhz"), "1900") << "nobody else told it";
  EXPECT_EQ(value(made, 0, "pci.bus"), "24");
}

TEST(DeviceQuery, ItsPeakClockIsNoContradiction) {
  const auto made =
      imported({{"q.xml", sample::log({0x18}, "<max_clocks><sm_clock>2100 MHz</sm_clock></max_clocks>\n")},
                {"cuda.txt", sample::device_query({0x18})}});
  EXPECT_EQ(value(made, 0, "clocks.max_sm_mhz"), "2100");
  EXPECT_EQ(value(made, 0, "cuda.clock_rate_khz"), "1900000");
  EXPECT_EQ(made.notes, std::vector<std::string>());
}

TEST(DeviceQuery, ContradictionsNameBothFiles) {
  auto other = sample::device_query({0x18});
  other.replace(other.find("version number:    9.0"), 22, "version number:    8.0");
  const auto made =
      imported({{"q.xml", sample::log({0x18})}, {"a.txt", sample::device_query({0x18})}, {"b.txt", other}});
  ASSERT_FALSE(made.notes.empty());
  EXPECT_EQ(made.notes.front(),
            "identity.compute_capability_major of GPU 0: a.txt:7 says 9, but b.txt:7 says 8; the first one stands");
}

TEST(DeviceQuery, MakesAMachineByItself) {
  const auto made = imported({{"cuda.txt", sample::device_query({0x18, 0x2A})}});
  EXPECT_EQ(made.summary, "2 GPUs, 1 board");
  EXPECT_EQ(value(made, 1, "pci.bus"), "42");
  EXPECT_EQ(value(made, 0, "identity.architecture"), "hopper") << "by its compute capability";
  EXPECT_EQ(value(made, 0, "system.cuda_version"), "12040");
  EXPECT_EQ(value(made, 0, "system.driver_version").substr(0, 4), "550.");
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_NE(made.notes[0].find("no input names the driver"), std::string::npos);
}

// What a shipped profile knows of the same product completes what no log told.
TEST(DeviceQuery, OfAShippedBoardInheritsThatBoard) {
  auto text = sample::device_query({0x18});
  text.replace(text.find("NVIDIA X100"), 11, "Tesla T4");
  const auto made = imported({{"c.txt", text}});
  EXPECT_NE(made.yaml.find("    inherits: t4\n"), std::string::npos) << made.yaml;
  EXPECT_EQ(value(made, 0, "identity.core_count"), "15360") << "what was told stands";
  EXPECT_EQ(value(made, 0, "pci.device_id"), "515379422");
  const Input input{"c.txt", text};
  const auto same = import_captures({&input, 1}, "t4");
  ASSERT_FALSE(same);
  EXPECT_EQ(same.error().front(),
            "a profile called t4 cannot inherit the shipped profile of that name; give the output another name");
  const auto logged = imported({{"q.xml", sample::log({0x18})}, {"c.txt", text}});
  EXPECT_EQ(logged.yaml.find("inherits: t4\n"), std::string::npos) << "nvidia-smi tells what the board is";
}

TEST(DeviceQuery, DamageIsToldWithItsLine) {
  const auto whole = sample::device_query({0x18, 0x2A});
  EXPECT_EQ(refused({{"c.txt", whole.substr(0, whole.find("Device 1:"))}}),
            "c.txt:21:1: the output of deviceQuery is cut short: 1 of 2 devices are whole");
  EXPECT_NE(refused({{"c.txt", whole.substr(0, whole.rfind("  Device PCI"))}}).find("1 of 2 devices"),
            std::string::npos);
  auto broken = whole;
  broken.replace(broken.find("5120-bit"), 8, "wide-bit");
  EXPECT_EQ(refused({{"c.txt", broken}}), "c.txt:12:1: 'wide-bit' is no value of Memory Bus Width");
  broken = whole;
  broken.replace(broken.find("52428800"), 8, "99999999");
  broken.insert(broken.find("99999999"), "99999999");
  const auto odd = imported({{"c.txt", broken}});
  EXPECT_TRUE(std::ranges::any_of(odd.notes, [](const auto& note) { return note.starts_with("c.txt:13:"); }))
      << "one value that cannot be is left out";
}

TEST(DeviceQuery, PartsOfAGpuAreLeftOut) {
  auto part = sample::device_query({0x18});
  part.replace(part.find("NVIDIA X100"), 11, "NVIDIA X100 MIG 1g.10gb");
  const auto made = imported({{"q.xml", sample::log({0x18})}, {"c.txt", part}});
  EXPECT_EQ(value(made, 0, "identity.core_count"), "null");
  ASSERT_EQ(made.notes.size(), 1U);
  EXPECT_NE(made.notes[0].find("c.txt:5: "), std::string::npos) << made.notes[0];
}

}  // namespace
}  // namespace nvmlab::importer
