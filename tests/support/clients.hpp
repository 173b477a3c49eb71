// SPDX-License-Identifier: Apache-2.0
//
// Real clients (fetched by scripts/fetch-clients, never committed) and the simulated node that they are run on.
// A test that needs a client which is not there is skipped with a sentence for a user, and fails in CI.
#pragma once

#include <expected>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/process.hpp"

namespace nvmlab::test {

struct Client {
  std::string name;               // "nvidia-smi-550"
  std::filesystem::path program;  // or the library, or the Python module
  std::string version;            // "550.163.01"
};

// The client, or the sentence that says how to get it.
[[nodiscard]] std::expected<Client, std::string> find_client(const std::string& name);

// CI=true: what is missing is a failure, but for the clients of tests/clients/may_be_absent.tsv.
[[nodiscard]] bool in_ci();
[[nodiscard]] bool may_be_absent(const std::string& client);

struct Node {
  std::string profile;           // empty: the library's default
  std::optional<unsigned> gpus;  // NVMLAB_GPUS
  std::string driver;            // NVMLAB_DRIVER
  bool bind_now = false;         // LD_BIND_NOW=1
  std::string role{};            // NVMLAB_ROLE
};

// The command that runs a client on that node through LD_LIBRARY_PATH; every other setting of the user's is removed.
[[nodiscard]] Command on_node(const Client& client, const std::vector<std::string>& arguments, const Node& node);

// The changes to the environment that make any program see this build's library and no setting of the user's.
[[nodiscard]] std::map<std::string, std::optional<std::string>> node_environment(const Node& node);

[[nodiscard]] std::filesystem::path nvmlab_program();

}  // namespace nvmlab::test

// Declares `const Client variable`, or ends the test. NOLINTBEGIN(bugprone-macro-parentheses): a name takes none.
#define NVMLAB_REQUIRE_CLIENT(variable, name)                                                                \
  const auto found_##variable = ::nvmlab::test::find_client(name);                                           \
  if (!found_##variable) {                                                                                   \
    if (::nvmlab::test::in_ci() && !::nvmlab::test::may_be_absent(name)) FAIL() << found_##variable.error(); \
    GTEST_SKIP() << found_##variable.error();                                                                \
  }                                                                                                          \
  const auto& variable = *found_##variable
// NOLINTEND(bugprone-macro-parentheses)
