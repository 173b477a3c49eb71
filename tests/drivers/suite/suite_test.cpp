// SPDX-License-Identifier: Apache-2.0
//
// nvml-conformance on the shipped machines: they keep all its laws, and it notices when one does not.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

using Words = std::vector<std::string>;

class Suite : public testing::Test {
 protected:
  Outcome nvmlab(const Words& words) const {
    Command command;
    command.arguments = {nvmlab_program().string()};
    command.arguments.insert(command.arguments.end(), words.begin(), words.end());
    command.environment = node_environment({});
    command.environment["NVMLAB_RUNTIME_DIR"] = (folder_.path() / "machines").string();
    return run(command);
  }
  Outcome on(Words run_options, const Words& suite_options = {}) const {
    run_options.insert(run_options.begin(), "run");
    run_options.insert(run_options.end(), {"--", (binary_folder() / "bin/nvml-conformance").string()});
    run_options.insert(run_options.end(), suite_options.begin(), suite_options.end());
    return nvmlab(run_options);
  }
  nlohmann::json report(const Words& run_options) const {
    const auto file = (folder_.path() / "report.json").string();
    const Outcome outcome = on(run_options, {"--json", file});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return nlohmann::json::parse(read_file(file).value_or("null"));
  }

  TempFolder folder_;
};

TEST_F(Suite, TheShippedMachinesKeepTheLaws) {
  for (const auto& [profile, gpus, laws] :
       {std::tuple{"dgx-a100", 8U, 400U}, std::tuple{"dgx-h100", 8U, 400U}, std::tuple{"g4dn-xlarge", 1U, 60U}}) {
    const auto found = report({"--profile", profile});
    EXPECT_TRUE(found.at("broken_laws").empty()) << found.at("broken_laws").dump(1);
    std::set<std::string> functions;
    unsigned answered = 0;
    for (const auto& call : found.at("calls")) {
      functions.insert(call.at("function"));
      if (call.value("code", -1) == 0 && call.contains("values")) ++answered;
    }
    EXPECT_GE(functions.size(), 200U) << profile;
    EXPECT_GE(answered, 150U * gpus) << profile;
    const Outcome outcome = on({"--profile", profile});
    const auto at = outcome.out.rfind(" laws tried, 0 broken\n");
    ASSERT_NE(at, std::string::npos) << outcome.story();
    const auto comma = outcome.out.rfind(' ', at - 1);
    EXPECT_GE(std::stoul(outcome.out.substr(comma)), laws) << profile;
  }
}

TEST_F(Suite, ReportsOfOneNodeCanBeCompared) {
  const auto first = report({"--profile", "g4dn-xlarge"});
  const auto again = report({"--profile", "g4dn-xlarge"});
  ASSERT_EQ(first.at("calls").size(), again.at("calls").size());
  const auto find = [](const nlohmann::json& from, const std::string& name) {
    for (const auto& call : from.at("calls")) {
      if (call.at("function") == name) return call.at("values");
    }
    return nlohmann::json();
  };
  EXPECT_EQ(find(first, "nvmlDeviceGetName").at("name"), "Tesla T4");
  EXPECT_EQ(find(first, "nvmlDeviceGetPciInfo_v3"), find(again, "nvmlDeviceGetPciInfo_v3"));
}

TEST_F(Suite, ABrokenLawIsNoticed) {
  ASSERT_TRUE(nvmlab({"up", "--profile", "dgx-a100"}).ok());
  ASSERT_TRUE(nvmlab({"set", "--force", "--gpu", "3", "power.enforced_limit_mw=1"}).ok());
  ASSERT_TRUE(nvmlab({"set", "--gpu", "5", "clocks.graphics_mhz=1001"}).ok());
  const Outcome outcome = on({"--machine", "default"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
  EXPECT_NE(outcome.out.find("BROKEN gpu3: nvmlDeviceGetEnforcedPowerLimit says 1, not within"), std::string::npos)
      << outcome.story();
  EXPECT_NE(outcome.out.find("BROKEN gpu5: the graphics clock 1001 is not a supported one"), std::string::npos)
      << outcome.story();
  EXPECT_NE(outcome.out.find(", 2 broken\n"), std::string::npos) << outcome.story();
}

TEST_F(Suite, SaysWhatADriverLacks) {
  const Outcome old = on({"--driver", "470"});
  EXPECT_EQ(old.exit_code, 0) << old.story();
  EXPECT_NE(old.out.find("\nnvmlDeviceGetModuleId -> missing\n"), std::string::npos);
  EXPECT_NE(old.out.find("driver 470.256.02, 8 GPUs: "), std::string::npos) << old.story();
}

TEST_F(Suite, WhatCannotBeWalked) {
  const Outcome without = on({"--no-driver"});
  EXPECT_EQ(without.exit_code, 3) << without.story();
  EXPECT_NE(without.err.find("nvmlInit_v2 answers 9"), std::string::npos) << without.err;
  EXPECT_EQ(on({}, {"--library", "/nowhere/libnvidia-ml.so.1"}).exit_code, 2);
  EXPECT_EQ(on({}, {"--jsn"}).exit_code, 2);
}

}  // namespace
}  // namespace nvmlab::test
