// SPDX-License-Identifier: Apache-2.0
//
// One machine, many processes: what one nvidia-smi sets on a machine that `nvmlab up` made, the next one reads; and
// what is set on a private node stays there.
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include <fmt/format.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr int no_permission = 4;  // NVML_ERROR_NO_PERMISSION, which nvidia-smi makes its exit code

bool is_root() { return ::geteuid() == 0; }

const std::vector<std::string> ask_limits{"--query-gpu=power.limit", "--format=csv,noheader"};

class SharedMachine : public testing::TestWithParam<std::string_view> {};

TEST_P(SharedMachine, WhatOneProcessSetsTheNextOneReads) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();

  const auto before = machine.run_on(client, ask_limits);
  ASSERT_TRUE(went_well(before));
  EXPECT_EQ(lines(before.out), std::vector<std::string>(8, "700.00 W"));

  const auto set = machine.run_on(client, {"-pl", "300", "-i", "0"});
  if (is_root()) {
    ASSERT_TRUE(set.ok()) << set.story();
    EXPECT_NE(set.out.find("300.00 W from 700.00 W"), std::string::npos) << set.out;
  } else {
    ASSERT_EQ(set.exit_code, no_permission) << set.story();
    EXPECT_EQ(lines(machine.run_on(client, ask_limits).out), std::vector<std::string>(8, "700.00 W"));
    const auto by_us = nvmlab(
        {"set", "--machine", machine.name(), "--gpu", "0", "power.limit_mw=300000", "power.enforced_limit_mw=300000"});
    ASSERT_TRUE(by_us.ok()) << by_us.story();
  }

  std::vector<std::string> expected(8, "700.00 W");
  expected[0] = "300.00 W";
  const auto after = machine.run_on(client, ask_limits);
  ASSERT_TRUE(went_well(after));
  EXPECT_EQ(lines(after.out), expected);

  // The log asks other functions for the same thing.
  const auto log = read_output(machine.run_on(client, {"-q", "-x"}), "log");
  for (const auto& [gpu, limit] : {std::pair{0, "300.00 W"}, std::pair{1, "700.00 W"}}) {
    for (const auto* path : {"gpu_power_readings/requested_power_limit", "gpu_power_readings/current_power_limit"}) {
      const auto* leaf = log.find(gpu, path);
      ASSERT_NE(leaf, nullptr) << path;
      EXPECT_EQ(leaf->value, limit) << path << " of GPU " << gpu;
    }
  }

  const auto limit = nvmlab({"get", "--machine", machine.name(), "--gpu", "0", "power.limit_mw"});
  EXPECT_EQ(limit.out, "300000\n") << limit.story();

  ASSERT_TRUE(machine.take_down().ok());
  EXPECT_NE(machine.run_on(client, ask_limits).exit_code, 0) << "a machine that was taken down still answers";
}

// The other way round: what `nvmlab set` changes, a running node shows.
TEST_P(SharedMachine, WhatNvmlabSetsNvidiaSmiShows) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-a100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto set = nvmlab({"set", "--machine", machine.name(), "--gpu", "3", "thermal.gpu_c=88"});
  ASSERT_TRUE(set.ok()) << set.story();
  const auto hot = machine.run_on(client, {"-i", "3", "--query-gpu=temperature.gpu", "--format=csv,noheader"});
  EXPECT_EQ(hot.out, "88\n") << hot.story();
  const auto table = machine.run_on(client, {});
  EXPECT_EQ(count(table.out, "  88C  "), 1U) << table.out;
}

TEST_P(SharedMachine, ALimitOutOfRangeIsRefused) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto set = machine.run_on(client, {"-pl", "5000", "-i", "0"});
  EXPECT_GT(set.exit_code, 0) << set.story();
  EXPECT_EQ(lines(machine.run_on(client, ask_limits).out), std::vector<std::string>(8, "700.00 W"));
}

TEST_P(SharedMachine, APrivateNodeKeepsNothing) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  Node node;
  node.profile = "dgx-h100";
  const auto set = smi(client, {"-pl", "300", "-i", "0"}, node);
  ASSERT_EQ(set.exit_code, is_root() ? 0 : no_permission) << set.story();
  EXPECT_EQ(lines(smi(client, ask_limits, node).out), std::vector<std::string>(8, "700.00 W"));
}

// `nvmlab run` is the other way onto a node: same output, and the command's own exit code.
TEST_P(SharedMachine, RunMakesAPrivateNode) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const auto list = nvmlab({"run", "--profile", "g4dn-xlarge", "--gpus", "3", "--", client.program.string(), "-L"});
  ASSERT_TRUE(went_well(list));
  EXPECT_EQ(count(list.out, "Tesla T4 (UUID: GPU-"), 3U) << list.out;
  const auto refused = nvmlab({"run", "--profile", "g4dn-xlarge", "--", client.program.string(), "-i", "7"});
  Node node;
  node.profile = "g4dn-xlarge";
  EXPECT_EQ(refused.exit_code, smi(client, {"-i", "7"}, node).exit_code);
  EXPECT_GT(refused.exit_code, 0);
}

// A client's standard streams, closed or not, have nothing to do with the machine's file.
TEST_P(SharedMachine, AClientWithClosedStreamsHarmsNothing) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  UpAndDown machine{"t4"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  for (const char* closed : {">&-", "2>&-", "<&-", "<&- >&- 2>&-"}) {
    Command command;
    command.arguments = {"bash", "-c",
                         fmt::format("NVMLAB_LOG=trace {} run --machine {} -- {} -L {}", nvmlab_program().string(),
                                     machine.name(), client.program.string(), closed)};
    command.environment = node_environment(Node{});
    static_cast<void>(run(command));  // how a program ends that cannot print is its own affair
    const auto list = machine.run_on(client, {"-L"});
    EXPECT_TRUE(list.ok()) << closed << "\n" << list.story();
    EXPECT_EQ(lines(list.out).size(), 1U) << closed;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SharedMachine, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
