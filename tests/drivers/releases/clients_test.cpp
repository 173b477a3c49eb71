// SPDX-License-Identifier: Apache-2.0
//
// Real clients on drivers of their own age and of others: nvidia-smi is content with its own driver, and says of an
// older one what that lacks; NVIDIA's Python binding raises FunctionNotFound for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/clients.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view kLacking = "Function Not Found";

Outcome on_driver(const std::string& driver, const std::vector<std::string>& words, const std::string& profile) {
  Command command;
  command.arguments = {nvmlab_program().string(), "run", "--profile", profile, "--driver", driver, "--"};
  command.arguments.insert(command.arguments.end(), words.begin(), words.end());
  command.environment = node_environment({});
  return run(command);
}

class SmiOfItsDriver : public testing::TestWithParam<std::string> {};

TEST_P(SmiOfItsDriver, FindsEveryFunction) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-" + GetParam());
  for (const std::string profile : {"dgx-a100", "dgx-h100", "g4dn-xlarge"}) {
    for (const std::string view : {"", "-q", "-L"}) {
      std::vector<std::string> words{client.program.string()};
      if (!view.empty()) words.push_back(view);
      const Outcome outcome = on_driver(GetParam(), words, profile);
      EXPECT_TRUE(outcome.ok()) << outcome.story();
      EXPECT_EQ(outcome.err, "") << outcome.story();
      EXPECT_EQ(outcome.out.find(kLacking), std::string::npos) << outcome.story();
      EXPECT_EQ(outcome.out.find("ERR!"), std::string::npos) << outcome.story();
    }
    const Outcome table = on_driver(GetParam(), {client.program.string()}, profile);
    EXPECT_NE(table.out.find("Driver Version: " + client.version), std::string::npos) << table.story();
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, SmiOfItsDriver, testing::Values("470", "525", "535", "550", "555"));

TEST(SmiOfAnotherDriver, OlderOnesLackNothing) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-525");
  for (const char* driver : {"535.86.05", "550", "580", "610"}) {
    const Outcome outcome = on_driver(driver, {client.program.string(), "-q"}, "dgx-h100");
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_EQ(outcome.out.find(kLacking), std::string::npos) << driver << outcome.story();
  }
}

TEST(SmiOfAnotherDriver, NewerOnesSayWhatTheDriverLacks) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-550");
  for (const std::string driver : {"470", "525", "535"}) {
    const Outcome outcome = on_driver(driver, {client.program.string(), "-q"}, "dgx-a100");
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_NE(outcome.out.find(kLacking), std::string::npos) << driver;
    EXPECT_NE(outcome.out.find(": " + driver + "."), std::string::npos) << "it reports the simulated driver";
  }
  const Outcome own = on_driver("550", {client.program.string(), "-q"}, "dgx-a100");
  EXPECT_EQ(own.out.find(kLacking), std::string::npos) << own.story();
}

// One line for each function that was tried: its name, and the class of what was raised.
constexpr const char* kPython = R"(
import pynvml as n
n.nvmlInit()
d = n.nvmlDeviceGetHandleByIndex(0)
for name in ('nvmlDeviceGetName', 'nvmlDeviceGetModuleId', 'nvmlDeviceGetNumaNodeId', 'nvmlDeviceGetPdi'):
    try:
        getattr(n, name)(d)
        print(name, 'answers')
    except n.NVMLError as e:
        print(name, type(e).__name__)
print(n.nvmlSystemGetDriverVersion(), n.nvmlSystemGetCudaDriverVersion())
)";

TEST(Pynvml, RaisesFunctionNotFoundForWhatTheDriverLacks) {
  NVMLAB_REQUIRE_CLIENT(client, "pynvml-13");
  const auto tried = [&](const std::string& driver) {
    Command command;
    command.arguments = {nvmlab_program().string(), "run", "--driver", driver, "--", "python3", "-c", kPython};
    command.environment = node_environment({});
    command.environment["PYTHONPATH"] = client.program.parent_path().string();
    command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
    const Outcome outcome = run(command);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  };
  const std::string missing = " NVMLError_FunctionNotFound\n";
  EXPECT_EQ(tried("470"), "nvmlDeviceGetName answers\nnvmlDeviceGetModuleId" + missing + "nvmlDeviceGetNumaNodeId" +
                              missing + "nvmlDeviceGetPdi" + missing + "470.256.02 11040\n");
  const std::string newer = tried("580");
  EXPECT_EQ(newer.find("FunctionNotFound"), std::string::npos) << newer;
  EXPECT_NE(newer.find("580.105.08 13000\n"), std::string::npos) << newer;
}

// The header's numbers of the speeds, 1 to 6, not megabits.
TEST(Pynvml, TellsLinkSpeedsByTheirNumbers) {
  NVMLAB_REQUIRE_CLIENT(client, "pynvml-13");
  constexpr const char* program =
      "import pynvml as n\nn.nvmlInit()\n"
      "print(n.nvmlDeviceGetPcieLinkMaxSpeed(n.nvmlDeviceGetHandleByIndex(0)))";
  for (const auto& [profile, speed] : {std::pair{"t4", "3\n"}, {"dgx-a100", "4\n"}, {"dgx-h100", "5\n"}}) {
    Command command;
    command.arguments = {nvmlab_program().string(), "run", "--profile", profile, "--", "python3", "-c", program};
    command.environment = node_environment({});
    command.environment["PYTHONPATH"] = client.program.parent_path().string();
    command.environment["PYTHONDONTWRITEBYTECODE"] = "1";
    const Outcome outcome = run(command);
    EXPECT_EQ(outcome.out, speed) << profile << outcome.story();
  }
}

}  // namespace
}  // namespace nvmlab::test
