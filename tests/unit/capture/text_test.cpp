// SPDX-License-Identifier: Apache-2.0
//
// `nvidia-smi -q` to leaves: nesting by indentation, values with children, processes, MIG devices, supported clocks.
#include <gtest/gtest.h>

#include <string>

#include "import/capture/capture.hpp"

namespace nvmlab::capture {
namespace {

constexpr std::string_view log = R"(
==============NVSMI LOG==============

Timestamp                                 : Thu Nov 14 07:00:14 2024
Attached GPUs                             : 2

GPU 00000000:18:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    MIG Device
        Index                             : 0
    MIG Device
        Index                             : 1
        ECC Errors
            Volatile
                SRAM Uncorrectable        : 7
    PCI
        Bus                               : 0x18
        GPU Link Info
            PCIe Generation
                Max                       : 5
        Empty                             :
    Clocks Event Reasons
        HW Slowdown                       : Not Active
            HW Thermal Slowdown           : Active
        Sync Boost                        : Not Active
    GPU Memory Power Readings 
        Power Draw                        : N/A
    Supported Clocks
        Memory                            : 2619 MHz
            Graphics                      : 1980 MHz
            Graphics                      : 1965 MHz
        Memory                            : 1593 MHz
            Graphics                      : 1980 MHz
    Processes
        GPU instance ID                   : N/A
        Compute instance ID               : N/A
        Process ID                        : 4242
            Name                          : /usr/bin/a : b
GPU 00000000:2A:00.0
    Product Name                          : second
    Processes                             : None

)";

Capture read(std::string_view bytes) {
  auto capture = read_capture(bytes, "q.txt");
  if (!capture) ADD_FAILURE() << capture.error().text();
  return capture.value_or(Capture{});
}

std::string value(const Capture& capture, int gpu, std::string_view path) {
  const auto* leaf = capture.find(gpu, path);
  return leaf == nullptr ? "(no such leaf)" : leaf->value;
}

TEST(CaptureText, LinesThatSomebodyLeftOutAreNoSections) {
  const auto capture = read_capture(
      "==============NVSMI LOG==============\nDriver Version : 1.2\n...\nGPU 0000:01:00.0\n    Product Name : X\n    "
      "[...]\n",
      "q.txt");
  ASSERT_TRUE(capture) << capture.error().text();
  EXPECT_EQ(capture->leaves.size(), 3U);
  EXPECT_EQ(capture->find(0, "Product Name")->column, 20U);
}

TEST(CaptureText, ReadsNodeAndGpus) {
  const auto capture = read(log);
  EXPECT_EQ(capture.format, Format::text);
  EXPECT_EQ(capture.gpus, (std::vector<std::string>{"00000000:18:00.0", "00000000:2A:00.0"}));
  EXPECT_EQ(value(capture, node, "Timestamp"), "Thu Nov 14 07:00:14 2024");
  EXPECT_EQ(value(capture, 0, "@id"), "00000000:18:00.0");
  EXPECT_EQ(value(capture, 0, "Product Name"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(value(capture, 1, "Product Name"), "second");
  EXPECT_EQ(value(capture, 1, "Processes"), "None");
}

TEST(CaptureText, NestsByIndentation) {
  const auto capture = read(log);
  EXPECT_EQ(value(capture, 0, "PCI/Bus"), "0x18");
  EXPECT_EQ(value(capture, 0, "PCI/GPU Link Info/PCIe Generation/Max"), "5");
  EXPECT_EQ(value(capture, 0, "PCI/Empty"), "");
  EXPECT_EQ(value(capture, 0, "GPU Memory Power Readings/Power Draw"), "N/A");
  EXPECT_EQ(capture.find(0, "PCI/GPU Link Info/PCIe Generation/Max")->line, 20U);
}

TEST(CaptureText, AValueMayHaveChildren) {
  const auto capture = read(log);
  EXPECT_EQ(value(capture, 0, "Clocks Event Reasons/HW Slowdown"), "Not Active");
  EXPECT_EQ(value(capture, 0, "Clocks Event Reasons/HW Slowdown/HW Thermal Slowdown"), "Active");
  EXPECT_EQ(value(capture, 0, "Clocks Event Reasons/Sync Boost"), "Not Active");
}

TEST(CaptureText, NumbersWhatRepeats) {
  const auto capture = read(log);
  EXPECT_EQ(value(capture, 0, "MIG Device[0]/Index"), "0");
  EXPECT_EQ(value(capture, 0, "MIG Device[1]/ECC Errors/Volatile/SRAM Uncorrectable"), "7");
  EXPECT_EQ(value(capture, 0, "Processes/Process ID[0]"), "4242");
  EXPECT_EQ(value(capture, 0, "Processes/Process ID[0]/Name"), "/usr/bin/a : b");
  EXPECT_EQ(value(capture, 0, "Supported Clocks/Memory[2619 MHz]/Graphics[1]"), "1965 MHz");
  EXPECT_EQ(value(capture, 0, "Supported Clocks/Memory[1593 MHz]/Graphics[0]"), "1980 MHz");
}

TEST(CaptureText, ReadsWindowsLineEnds) {
  std::string windows;
  for (const char c : log)
    windows += c == '\n' ? std::string{"\r\n"} : std::string(1, c);
  EXPECT_EQ(value(read(windows), 0, "PCI/Bus"), "0x18");
}

// Whatever byte the text is cut at: never a crash, and if it is an error, one with the file's name.
TEST(CaptureText, AnyPrefixIsReadOrRefused) {
  for (std::size_t size = 0; size <= log.size(); ++size) {
    const auto capture = read_capture(log.substr(0, size), "q.txt");
    if (!capture) {
      EXPECT_TRUE(capture.error().text().starts_with("q.txt:")) << capture.error().text();
    }
  }
}

TEST(CaptureText, NoticesACutFile) {
  const auto in_section = log.substr(0, log.find("    GPU Memory Power") + 12);
  const auto capture = read_capture(in_section, "q.txt");
  ASSERT_FALSE(capture);
  EXPECT_NE(capture.error().text().find("cut short"), std::string::npos) << capture.error().text();

  const auto after_first_gpu = log.substr(0, log.find("Sync Boost") + 36);
  const auto missing_gpu = read_capture(after_first_gpu, "q.txt");
  ASSERT_FALSE(missing_gpu);
  EXPECT_TRUE(missing_gpu.error().text().starts_with("q.txt:25:1:")) << missing_gpu.error().text();
}

}  // namespace
}  // namespace nvmlab::capture
