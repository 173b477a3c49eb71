// SPDX-License-Identifier: Apache-2.0
//
// Boards that somebody ran NVIDIA's deviceQuery on: every label that both print has the same value on the simulated
// board. What is one unit's own (its PCI address) is not compared where the shipped machine is another unit.
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

using Labels = std::map<std::string, std::string>;

std::string trimmed(std::string text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  while (!out.empty() && (out.back() == ' ' || out.back() == '\r' || out.back() == ':'))
    out.pop_back();
  return out;
}

// Some labels of deviceQuery are formed otherwise than "label: value".
void add_label(std::string line, Labels& labels) {
  if (const std::size_t clock = line.find(" MHz ("); clock != std::string::npos) line = line.substr(0, clock + 4);
  if (line.find("Multiprocessors, (") != std::string::npos) {
    const std::size_t open = line.find('(');
    labels["Multiprocessors"] = std::to_string(std::stoi(line.substr(open + 1)));
    return;
  }
  if (const std::size_t at = line.find("layers "); at != std::string::npos) line.insert(at + 6, ":");
  if (const std::size_t at = line.find("Size (x,y,z) "); at != std::string::npos) line.insert(at + 12, ":");
  if (const std::size_t at = line.find(" / Runtime Version"); at != std::string::npos) {
    std::istringstream words(line.substr(at + 18));
    words >> labels["CUDA Driver Version"];
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos || line.starts_with("deviceQuery") || line.starts_with("Device ")) return;
  labels[trimmed(line.substr(0, colon))] = trimmed(line.substr(colon + 1));
}

// One map for each device.
std::vector<Labels> read_devices(const std::string& text) {
  std::vector<Labels> devices;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with("Device ") && line.find(": \"") != std::string::npos;
    if (begins) {
      devices.emplace_back();
      devices.back()["name"] = line.substr(line.find('"'));
    } else if (!devices.empty() && line.find("Peer access") == std::string::npos) {
      add_label(trimmed(line), devices.back());
    }
  }
  return devices;
}

// "GPU1 -> GPU0" to whether.
std::map<std::string, bool> read_peers(const std::string& text) {
  std::map<std::string, bool> peers;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Peer access") == std::string::npos) continue;
    std::string pair;
    for (std::size_t at = line.find("GPU"); at != std::string::npos; at = line.find("GPU", at + 3)) {
      if (std::isdigit(static_cast<unsigned char>(line[at + 3])) != 0) pair += line.substr(at, 4);
    }
    peers[pair] = line.find("Yes") != std::string::npos;
  }
  return peers;
}

struct Board {
  const char* capture;
  const char* profile;
  const char* driver;  // of the CUDA release that the capture shows
  bool same_unit;      // whether the shipped machine is the one of the capture
};

class DeviceQuery : public testing::TestWithParam<Board> {};

TEST_P(DeviceQuery, EveryLabelThatBothPrintHasTheSameValue) {
  const Board& board = GetParam();
  NVMLAB_REQUIRE_CAPTURES(folder);
  const std::string real = read_file(folder / "thamada+nvidia-smi" / board.capture).value_or("");
  const Outcome ran = run({.arguments = {nvmlab_program().string(), "run", "--profile", board.profile, "--driver",
                                         board.driver, "--", NVMLAB_DEVICE_QUERY}});
  ASSERT_TRUE(ran.ok()) << ran.story();
  const std::vector<Labels> expected = read_devices(real);
  const std::vector<Labels> found = read_devices(ran.out);
  ASSERT_FALSE(expected.empty());
  ASSERT_EQ(found.size(), expected.size());
  std::set<std::string> compared;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    for (const auto& [label, value] : expected[i]) {
      if (!found[i].contains(label) || label == "Compute Mode") continue;
      if (!board.same_unit && label.starts_with("Device PCI")) continue;
      EXPECT_EQ(found[i].at(label), value) << board.capture << ", device " << i << ", " << label;
      compared.insert(label);
    }
  }
  EXPECT_GE(compared.size(), 30u);
  for (const auto& [pair, can] : read_peers(real))
    EXPECT_EQ(read_peers(ran.out)[pair], can) << pair;
}

INSTANTIATE_TEST_SUITE_P(Captures, DeviceQuery,
                         testing::Values(Board{"A100SXMx4_deviceQuery.txt", "hgx-a100-4gpu", "555", true},
                                         Board{"H100SXMx8_deviceQuery.txt", "dgx-h100", "565", false},
                                         Board{"L40S_deviceQuery.txt", "gpu-l40sx1-48gb", "550", false},
                                         Board{"L4_deviceQuery.txt", "g6-xlarge", "550", false},
                                         Board{"RTX4090_deviceQuery.txt", "rtx-4090-server", "550", true}),
                         [](const testing::TestParamInfo<Board>& board) {
                           return in_underscores(board.param.profile);
                         });

}  // namespace
}  // namespace nvmlab::test
