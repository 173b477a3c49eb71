// SPDX-License-Identifier: Apache-2.0
//
// What nvidia-smi sets, the next nvidia-smi shows: each option that changes a GPU, as root and as a user. And the
// reset, which needs functions of the internal table.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr int no_permission = 4;
constexpr int invalid_argument = 2;

class Settings : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
    client_ = client;
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  }
  Outcome smi(const std::vector<std::string>& arguments, const std::string& role = "root") const {
    return machine.run_on(client_, arguments, role);
  }
  // One value of GPU 0, or of another.
  std::string ask(const std::string& field, int gpu = 0) const {
    const auto outcome = smi({"-i", std::to_string(gpu), "--query-gpu=" + field, "--format=csv,noheader"}, "user");
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    const auto rows = lines(outcome.out);
    return rows.empty() ? "" : rows[0];
  }
  // As root; what it printed.
  std::string set(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"-i", "0"});
    const auto outcome = smi(arguments);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  }
  void refused(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"-i", "0"});
    const auto outcome = smi(arguments, "user");
    EXPECT_EQ(outcome.exit_code, no_permission) << outcome.story();
  }

  UpAndDown machine{"dgx-h100"};

 private:
  Client client_;
};

TEST_P(Settings, PowerLimit) {
  refused({"-pl", "300"});
  EXPECT_NE(set({"-pl", "300"}).find("300.00 W from 700.00 W"), std::string::npos);
  EXPECT_EQ(ask("power.limit"), "300.00 W");
  EXPECT_EQ(ask("power.limit", 1), "700.00 W");
  const auto beyond = smi({"-i", "0", "-pl", "5000"});
  EXPECT_EQ(beyond.exit_code, invalid_argument);
  EXPECT_NE(beyond.out.find("between 200.00 W and 700.00 W"), std::string::npos) << beyond.out;
  EXPECT_EQ(ask("power.limit"), "300.00 W");
}

TEST_P(Settings, ApplicationClocks) {
  refused({"-ac", "2619,1500"});
  refused({"-rac"});
  set({"-ac", "2619,1500"});
  EXPECT_EQ(ask("clocks.applications.graphics"), "1500 MHz");
  EXPECT_EQ(ask("clocks.applications.memory"), "2619 MHz");
  EXPECT_NE(set({"-ac", "2619,1501"}).find("is not supported"), std::string::npos);
  EXPECT_EQ(ask("clocks.applications.graphics"), "1500 MHz");
  set({"-rac"});
  EXPECT_EQ(ask("clocks.applications.graphics"), "1980 MHz");
}

TEST_P(Settings, LockedClocks) {
  refused({"-lgc", "1000,1400"});
  refused({"-rgc"});
  refused({"-lmc", "1593"});
  refused({"-rmc"});
  EXPECT_EQ(ask("clocks.gr"), "345 MHz");
  EXPECT_NE(set({"-lgc", "1000,1400"}).find("gpuClkMin 1000, gpuClkMax 1400"), std::string::npos);
  EXPECT_EQ(ask("clocks.gr"), "1005 MHz");
  EXPECT_EQ(ask("clocks.sm"), "1005 MHz");
  EXPECT_EQ(ask("clocks_throttle_reasons.applications_clocks_setting"), "Active");
  set({"-lgc", "tdp,tdp"});
  EXPECT_EQ(ask("clocks.gr"), "1980 MHz");
  EXPECT_NE(set({"-lgc", "3000,4000"}).find("is not supported"), std::string::npos);
  set({"-rgc"});
  EXPECT_EQ(ask("clocks.gr"), "345 MHz");
  EXPECT_EQ(ask("clocks_throttle_reasons.applications_clocks_setting"), "Not Active");
  set({"-lmc", "1593"});
  EXPECT_EQ(ask("clocks.mem"), "1593 MHz");
  set({"-rmc"});
  EXPECT_EQ(ask("clocks.mem"), "2619 MHz");
}

TEST_P(Settings, Modes) {
  refused({"-pm", "0"});
  set({"-pm", "0"});
  EXPECT_EQ(ask("persistence_mode"), "Disabled");
  set({"-pm", "1"});
  EXPECT_EQ(ask("persistence_mode"), "Enabled");
  refused({"-c", "3"});
  set({"-c", "EXCLUSIVE_PROCESS"});
  EXPECT_EQ(ask("compute_mode"), "Exclusive_Process");
  set({"-c", "2"});
  EXPECT_EQ(ask("compute_mode"), "Prohibited");
  EXPECT_EQ(ask("compute_mode", 1), "Default");
  refused({"-am", "1"});
  set({"-am", "1"});
  EXPECT_EQ(ask("accounting.mode"), "Enabled");
}

// As the DRA driver has it set where pods share a GPU by turns.
TEST_P(Settings, TimeSlices) {
  const auto policy = [&] { return smi({"compute-policy", "-i", "0", "-l"}, "user").out; };
  const auto slice = [&](const char* length, const std::string& role) {
    return smi({"compute-policy", "-i", "0", "--set-timeslice", length}, role);
  };
  EXPECT_NE(policy().find("|   0   Timeslice       Default"), std::string::npos) << policy();
  EXPECT_EQ(slice("3", "user").exit_code, no_permission);
  EXPECT_TRUE(slice("3", "root").ok()) << slice("3", "root").story();
  EXPECT_NE(policy().find("|   0   Timeslice       Long"), std::string::npos) << policy();
}

TEST_P(Settings, ErrorCountsAreCleared) {
  const auto counts = nvmlab({"set", "--machine", machine.name(), "--gpu", "0", "ecc.corrected_volatile.dram=7",
                              "ecc.corrected_aggregate.dram=9"});
  ASSERT_TRUE(counts.ok()) << counts.story();
  EXPECT_EQ(ask("ecc.errors.corrected.volatile.total"), "7");
  refused({"-p", "0"});
  set({"-p", "0"});
  EXPECT_EQ(ask("ecc.errors.corrected.volatile.total"), "0");
  EXPECT_EQ(ask("ecc.errors.corrected.aggregate.total"), "9");
  set({"-p", "1"});
  EXPECT_EQ(ask("ecc.errors.corrected.aggregate.total"), "0");
}

// ECC waits for the reset; the reset waits until nothing holds the GPU, persistence mode included.
TEST_P(Settings, AResetBringsPendingModesIntoForce) {
  refused({"-e", "0"});
  set({"-e", "0"});
  set({"-lgc", "1000,1000"});
  EXPECT_EQ(ask("ecc.mode.current"), "Enabled");
  EXPECT_EQ(ask("ecc.mode.pending"), "Disabled");
  const auto held = smi({"-i", "0", "-r"});
  EXPECT_EQ(held.exit_code, 255) << held.story();
  EXPECT_NE(held.out.find("GPU 00000000:53:00.0: In use by another client"), std::string::npos) << held.out;
  EXPECT_EQ(ask("ecc.mode.current"), "Enabled");
  set({"-pm", "0"});
  refused({"-r"});
  EXPECT_NE(set({"-r"}).find("GPU 00000000:53:00.0 was successfully reset."), std::string::npos);
  EXPECT_EQ(ask("ecc.mode.current"), "Disabled");
  EXPECT_EQ(ask("clocks.gr"), "345 MHz");
  EXPECT_EQ(ask("ecc.mode.current", 1), "Enabled");
}

TEST_P(Settings, AllGpusAreResetTogether) {
  ASSERT_TRUE(smi({"-pm", "0"}).ok());
  const auto reset = smi({"-r"});
  EXPECT_TRUE(reset.ok()) << reset.story();
  EXPECT_EQ(count(reset.out, "was successfully reset."), 8U) << reset.out;
}

INSTANTIATE_TEST_SUITE_P(All, Settings, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
