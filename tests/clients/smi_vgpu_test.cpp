// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi vgpu on a host: what it printed with a test library that invented one (vgpu_host_550.txt), word for word;
// the other releases, which differ only in what they know; creating and ending vGPUs under its eyes; and the licence
// of a guest.
#include <gtest/gtest.h>

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

std::string profile(const std::string& name) {
  return (source_folder() / "tests/clients/profiles" / (name + ".yaml")).string();
}

struct Printed {
  std::vector<std::string> arguments;
  std::vector<std::string> lines;
  int exit_code = 0;
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

std::string line_of(const std::vector<std::string>& arguments) { return fmt::format("{}", fmt::join(arguments, " ")); }

// Without spaces at their ends, and without empty lines at the end of all.
std::vector<std::string> trimmed(std::vector<std::string> all) {
  for (std::string& line : all)
    line.erase(line.find_last_not_of(" \t\r") + 1);
  while (!all.empty() && all.back().empty())
    all.pop_back();
  return all;
}

std::vector<Printed> transcript() {
  std::vector<Printed> all;
  const std::string text = read_file(source_folder() / "tests/clients/vgpu_host_550.txt").value_or("");
  constexpr std::string_view prompt = "$ nvidia-smi ";
  for (const std::string& line : lines(text)) {
    if (line.starts_with(prompt)) {
      all.push_back({words_of(line.substr(prompt.size())), {}, 0});
    } else if (line.starts_with("rc=")) {
      all.back().exit_code = std::stoi(line.substr(3));
    } else if (!all.empty()) {
      all.back().lines.push_back(line);
    }
  }
  for (Printed& each : all)
    each.lines = trimmed(each.lines);
  return all;
}

// Commands that repeat until they are stopped.
bool repeats(const std::vector<std::string>& arguments) {
  constexpr std::string_view options[] = {"-u", "-p", "-es", "-fs"};
  return std::ranges::find(options, arguments.back()) != std::end(options);
}

// Where the library that invented the host broke NVIDIA's rules, and what follows from them.
struct ByRule {
  std::string_view command;
  std::string_view label;  // what the line begins with; of several, the last one
  std::string_view printed;
  std::string_view now;
  std::string_view why;
};
constexpr ByRule kByRule[] = {
    {"vgpu -s -v -i 0", "Placement Size", "4", "N/A", "a type in a GPU instance has no placement"},
    {"vgpu -s -v -i 0", "Supported Placement IDs", "0 4 8 12 16 20 24 28 32 36", "N/A", "nor ids of one"},
    {"vgpu -c -v -i 0", "Creatable Placement IDs", "0 8 16 24 32", "16 24 32", "two vGPUs run, at 0 and 8"},
    {"vgpu -m -i 0", "Migration capability", "N/A", "Yes", "the library had no metadata"},
    {"vgpu -shm 1 -i 0", "", "Enabled vGPU heterogeneous mode for GPU 00000000:17:00.0",
     "Unable to enable vGPU heterogeneous mode for GPU 00000000:17:00.0: In use by another client", "two vGPUs run"},
};

void follow_rules(const std::string& command, Printed& expected) {
  for (const ByRule& rule : kByRule) {
    if (rule.command != command) continue;
    const auto found = std::find_if(expected.lines.rbegin(), expected.lines.rend(), [&](const std::string& line) {
      return line.find(rule.label) != std::string::npos && line.ends_with(rule.printed);
    });
    ASSERT_NE(found, expected.lines.rend()) << rule.why;
    found->replace(found->size() - rule.printed.size(), std::string::npos, rule.now);
  }
  if (command == "vgpu -m -i 0") expected.exit_code = 0;
  if (command == "vgpu -shm 1 -i 0") expected.exit_code = 19;
}

// Runs a command that repeats, and stops it when it has printed as many lines as its first round has.
Outcome first_round(const UpAndDown& machine, const Client& client, const std::vector<std::string>& arguments,
                    std::size_t length) {
  Command command;
  command.arguments = {nvmlab_program().string(), "run", "--machine", machine.name(), "--", client.program.string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  command.environment = node_environment(Node{});
  command.enough = [length](const std::string& out, pid_t) { return trimmed(lines(out)).size() >= length; };
  return run(command);
}

TEST(SmiVgpu, TheTranscriptWordForWord) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
  const UpAndDown machine{profile("vgpu-host")};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto all = transcript();
  ASSERT_EQ(all.size(), 17U);
  for (Printed expected : all) {
    const std::string command = line_of(expected.arguments);
    SCOPED_TRACE(command);
    const auto& arguments = expected.arguments;
    if (std::ranges::find(arguments, "-sl") != arguments.end()) continue;  // its log is of its own moment
    follow_rules(command, expected);
    const bool again = repeats(arguments);
    const Outcome outcome = again ? first_round(machine, client, arguments, expected.lines.size())
                                  : machine.run_on(client, arguments, "root");
    auto printed = trimmed(lines(outcome.out));
    if (again) {
      printed.resize(std::min(printed.size(), expected.lines.size()));
      expected.exit_code = outcome.exit_code;
    }
    if (arguments.size() == 1 && !printed.empty()) {  // the time of day
      printed.erase(printed.begin());
      expected.lines.erase(expected.lines.begin());
    }
    EXPECT_EQ(printed, expected.lines) << outcome.story();
    EXPECT_EQ(outcome.exit_code, expected.exit_code);
  }
}

class SmiVgpuReleases : public testing::TestWithParam<std::string_view> {};

std::string driver_of(std::string_view release) {
  const std::map<std::string_view, std::string> drivers{{"nvidia-smi-470", "470.256.02"},
                                                        {"nvidia-smi-525", "525.147.05"},
                                                        {"nvidia-smi-535", "535.261.03"},
                                                        {"nvidia-smi-550", "550.163.01"},
                                                        {"nvidia-smi-555", "555.58.02"}};
  return drivers.at(release);
}

// Columns are as wide as a release wants them.
std::vector<std::string> without_columns(const std::vector<std::string>& all) {
  std::vector<std::string> plain;
  for (const std::string& line : all)
    plain.push_back(line_of(words_of(line)));
  return plain;
}

// What a release prints is what 550 prints, less the lines that it does not know.
TEST_P(SmiVgpuReleases, DiffersOnlyInWhatItKnows) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const Node node{.profile = profile("vgpu-host"), .gpus = {}, .driver = driver_of(GetParam())};
  for (Printed newest : transcript()) {
    const std::string command = line_of(newest.arguments);
    if (command != "vgpu -q -i 0" && command != "vgpu -s -i 0" && command != "vgpu -c -i 0") continue;
    SCOPED_TRACE(command);
    const Outcome outcome = smi(client, newest.arguments, node);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.story();
    const auto known = without_columns(newest.lines);
    for (const std::string& line : without_columns(lines(outcome.out))) {
      EXPECT_TRUE(std::ranges::find(known, line) != known.end() || line.ends_with(" N/A") || line.empty())
          << line << '\n'
          << outcome.story();
    }
    EXPECT_TRUE(troubles(outcome.out).empty()) << outcome.story();
  }
}

TEST_P(SmiVgpuReleases, SeesVgpusComeAndGo) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"hgx-a100-4gpu"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto tool = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 2, {"--machine", machine.name()});
    const Outcome outcome = nvmlab(words);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  };
  EXPECT_NE(machine.run_on(client, {"vgpu"}).out.find("No supported devices in vGPU mode"), std::string::npos);
  tool({"vgpu", "host"});
  EXPECT_EQ(count(machine.run_on(client, {"vgpu", "-c", "-i", "1"}).out, "GRID A100DX-"), 7U) << "none in instances";
  tool({"vgpu", "add", "--gpu", "1", "--type", "20C", "--guest-driver", "550.54.15", "--licensed"});
  tool({"vgpu", "add", "--gpu", "1", "--type", "20C"});
  const Outcome table = machine.run_on(client, {"vgpu"});
  EXPECT_EQ(count(table.out, "GRID A100DX..."), 2U) << table.story();
  EXPECT_EQ(count(machine.run_on(client, {"vgpu", "-c", "-i", "1"}).out, "GRID A100DX-"), 1U);
  EXPECT_EQ(count(machine.run_on(client, {"vgpu", "-c", "-i", "2"}).out, "GRID A100DX-"), 7U);
  tool({"vgpu", "rm", "--all"});
  EXPECT_EQ(count(machine.run_on(client, {"vgpu"}).out, "GRID A100DX"), 0U);
}

// The section on licences comes from a struct and a slot of the internal table together.
TEST_P(SmiVgpuReleases, ShowsTheLicenceOfAGuest) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const Node node{.profile = profile("vgpu-guest"), .gpus = {}, .driver = driver_of(GetParam())};
  const Outcome outcome = smi(client, {"-q"}, node);
  EXPECT_NE(outcome.out.find("NVIDIA RTX Virtual Workstation"), std::string::npos) << outcome.story();
  EXPECT_NE(outcome.out.find("Licensed (Expiry: 2026-12-31 23:59:59 GMT)"), std::string::npos) << outcome.story();
  EXPECT_NE(outcome.out.find(": VGPU"), std::string::npos) << outcome.story();
}

INSTANTIATE_TEST_SUITE_P(All, SmiVgpuReleases,
                         testing::Values("nvidia-smi-470", "nvidia-smi-525", "nvidia-smi-535", "nvidia-smi-550",
                                         "nvidia-smi-555"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
