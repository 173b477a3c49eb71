// SPDX-License-Identifier: Apache-2.0
//
// The tests of the Rust binding nvml-wrapper, as its authors wrote them for their own machines. Many of them ask for
// what a machine does not have; nvml_wrapper_failures.tsv says which, and all others pass.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

struct Listed {
  std::string test;
  std::string says;
};

std::vector<Listed> listed_for(const std::string& machine) {
  std::vector<Listed> listed;
  const auto table = read_file(source_folder() / "tests/clients/nvml_wrapper_failures.tsv").value_or("");
  for (const std::string& line : lines(table)) {
    std::istringstream row{line};
    Listed next;
    std::string on;
    if (line.starts_with('#') || !std::getline(row, next.test, '\t') || !std::getline(row, on, '\t')) continue;
    std::getline(row, next.says, '\t');
    if (("," + on + ",").find("," + machine + ",") != std::string::npos) listed.push_back(next);
  }
  return listed;
}

// What each failed test printed, by its name.
std::map<std::string, std::string> failures_in(const std::string& output) {
  std::map<std::string, std::string> failures;
  std::string* current = nullptr;
  for (const std::string& line : lines(output)) {
    if (line == "failures:" || line.starts_with("test result:")) current = nullptr;
    if (line.starts_with("---- ")) current = &failures[line.substr(5, line.find(' ', 5) - 5)];
    if (current != nullptr) *current += line + "\n";
  }
  return failures;
}

bool stands_for(const std::string& listed, const std::string& test) {
  return listed.ends_with('*') ? test.starts_with(listed.substr(0, listed.size() - 1)) : test == listed;
}

struct Wrapped {
  const char* name;  // as in the table
  const char* profile;
  std::vector<std::string> options = {};
  bool old = false;  // its driver lacks functions, of which the crate looks for the newest names alone
};

class NvmlWrapper : public testing::TestWithParam<Wrapped> {};

TEST_P(NvmlWrapper, FailsWhereTheMachineHasNothingToTell) {
  NVMLAB_REQUIRE_CLIENT(client, "nvml-wrapper");
  const auto& [name, profile, options, old] = GetParam();
  const bool shipped = std::string_view(profile).find('/') == std::string_view::npos;
  const UpAndDown machine(shipped ? profile : (source_folder() / profile).string(), options);
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const Outcome outcome = nvmlab(
      {"run", "--machine", machine.name(), "--role", "root", "--", "env", "RUST_BACKTRACE=0", client.program.string()});
  EXPECT_FALSE(outcome.timed_out) << outcome.story();
  EXPECT_EQ(outcome.signal, 0) << outcome.story();
  std::set<std::string> used;
  for (const auto& [test, printed] : failures_in(outcome.out)) {
    bool expected = old && printed.find("FailedToLoadSymbol") != std::string::npos;
    for (const Listed& listed : listed_for(name)) {
      if (!stands_for(listed.test, test) || printed.find(listed.says) == std::string::npos) continue;
      expected = true;
      used.insert(listed.test);
    }
    EXPECT_TRUE(expected) << printed;
  }
  for (const Listed& listed : listed_for(name))
    EXPECT_TRUE(used.contains(listed.test)) << listed.test << " passes: its line can go";
}

// The GPU that they ask is the first: also one that is cut, of which they take a MIG device, and one that lends vGPUs.
INSTANTIATE_TEST_SUITE_P(
    All, NvmlWrapper,
    testing::Values(Wrapped{"dgx-h100", "dgx-h100"},
                    Wrapped{.name = "v100s-server", .profile = "v100s-server", .old = true},
                    Wrapped{"mig", "dgx-h100", {"--mig", "0:3g.40gb,2g.20gb,1g.10gb"}},
                    Wrapped{.name = "vgpu-host", .profile = "tests/clients/profiles/vgpu-host.yaml", .old = true}),
    [](const auto& each) {
      std::string name = each.param.name;
      std::ranges::replace(name, '-', '_');
      return name;
    });

}  // namespace
}  // namespace nvmlab::test
