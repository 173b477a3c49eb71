// SPDX-License-Identifier: Apache-2.0
//
// The tests of the Rust binding nvml-wrapper, as its authors wrote them for their own machines. Many of them ask for
// what a machine does not have; nvml_wrapper_failures.tsv says which, and all others pass.
#include <gtest/gtest.h>

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
    if (on == machine) listed.push_back(next);
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

class NvmlWrapper : public testing::TestWithParam<std::string> {};

TEST_P(NvmlWrapper, FailsWhereTheMachineHasNothingToTell) {
  NVMLAB_REQUIRE_CLIENT(client, "nvml-wrapper");
  const Outcome outcome = nvmlab(
      {"run", "--profile", GetParam(), "--role", "root", "--", "env", "RUST_BACKTRACE=0", client.program.string()});
  EXPECT_FALSE(outcome.timed_out) << outcome.story();
  EXPECT_EQ(outcome.signal, 0) << outcome.story();
  const bool old = GetParam() == "v100s-server";  // the crate looks for the newest name alone
  std::set<std::string> used;
  for (const auto& [test, printed] : failures_in(outcome.out)) {
    bool expected = old && printed.find("FailedToLoadSymbol") != std::string::npos;
    for (const Listed& listed : listed_for(GetParam())) {
      if (!stands_for(listed.test, test) || printed.find(listed.says) == std::string::npos) continue;
      expected = true;
      used.insert(listed.test);
    }
    EXPECT_TRUE(expected) << printed;
  }
  for (const Listed& listed : listed_for(GetParam()))
    EXPECT_TRUE(used.contains(listed.test)) << listed.test << " passes: its line can go";
}

INSTANTIATE_TEST_SUITE_P(All, NvmlWrapper, testing::Values("dgx-h100", "v100s-server"),
                         [](const auto& each) { return each.param == "dgx-h100" ? "dgx_h100" : "v100s_server"; });

}  // namespace
}  // namespace nvmlab::test
