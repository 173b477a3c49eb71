// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi on a simulated machine without a driver, or with one that refuses: it says what it says on a real one.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/clients/smi.hpp"

namespace nvmlab::test {
namespace {

class SmiNoDriver : public testing::TestWithParam<std::string> {
 protected:
  // By way of `nvmlab run` where options are given.
  static Outcome smi_with(const Client& client, const std::vector<std::string>& options) {
    Command command;
    command.arguments = {nvmlab_program().string(), "run"};
    command.arguments.insert(command.arguments.end(), options.begin(), options.end());
    command.arguments.insert(command.arguments.end(), {"--", client.program.string()});
    command.environment = node_environment({});
    command.environment["LD_LIBRARY_PATH"] = std::nullopt;
    return run(command);
  }
};

TEST_P(SmiNoDriver, CannotReachTheDriver) {
  NVMLAB_REQUIRE_CLIENT(client, GetParam());
  const auto outcome = smi_with(client, {"--no-driver"});
  EXPECT_EQ(outcome.exit_code, 9) << outcome.story();
  EXPECT_TRUE(outcome.out.starts_with("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."))
      << outcome.story();
  EXPECT_EQ(outcome.err, "");
}

// Each code of nvmlInit ends it with an exit code of its own and with the words of NVML.
TEST_P(SmiNoDriver, SaysWhyInitFailed) {
  NVMLAB_REQUIRE_CLIENT(client, GetParam());
  struct Refusal {
    const char* code;
    int exit_code;
    const char* says;
  };
  const int mismatch = client.version < "535" ? 255 : 18;  // older ones know no code of their own for it
  for (const auto& refusal : {Refusal{"LIB_RM_VERSION_MISMATCH", mismatch, "Driver/library version mismatch"},
                              Refusal{"NO_PERMISSION", 4, "Insufficient Permissions"},
                              Refusal{"GPU_IS_LOST", 15, "GPU is lost"}, Refusal{"UNKNOWN", 255, "Unknown Error"}}) {
    const auto outcome = smi_with(client, {"--init-error", refusal.code});
    EXPECT_EQ(outcome.exit_code, refusal.exit_code) << refusal.code << ": " << outcome.story();
    EXPECT_NE(outcome.out.find(refusal.says), std::string::npos) << refusal.code << ": " << outcome.story();
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmiNoDriver,
                         testing::Values("nvidia-smi-470", "nvidia-smi-525", "nvidia-smi-535", "nvidia-smi-550",
                                         "nvidia-smi-555"),
                         [](const auto& each) { return "branch_" + each.param.substr(each.param.rfind('-') + 1); });

}  // namespace
}  // namespace nvmlab::test
