// SPDX-License-Identifier: Apache-2.0
//
// gpustat and nvitop on machines with drivers from 418 to 595. Both look for the newest version of a function first and
// fall back where the library lacks it, so they find the right one only where the library is that of the driver. And
// what NVIDIA's own binding tells that no table of nvidia-smi shows.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view kMachines[] = {"quadro-p400-workstation", "gtx-1080-rig", "v100s-server", "g5-xlarge",
                                          "hgx-a100-4gpu",           "dgx-h100",     "g6e-xlarge"};

class PythonTools : public testing::TestWithParam<std::string_view> {
 protected:
  Outcome on_machine(const Client& client, std::vector<std::string> arguments) const {
    std::vector<std::string> words{"run",
                                   "--profile",
                                   std::string{GetParam()},
                                   "--",
                                   "env",
                                   "PYTHONPATH=" + client.program.parent_path().string(),
                                   "PYTHONDONTWRITEBYTECODE=1",
                                   "python3",
                                   "-m",
                                   client.name};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return nvmlab(words);
  }
};

TEST_P(PythonTools, GpustatTellsEveryGpu) {
  if (GetParam() == "quadro-p400-workstation") return;  // its pynvml refuses drivers before 450 on purpose
  NVMLAB_REQUIRE_CLIENT(client, "gpustat");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  const Outcome outcome = on_machine(client, {"--json"});
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto told = nlohmann::json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << outcome.out;
  EXPECT_EQ(told.at("driver_version"), machine->node().system.driver_version.data);
  ASSERT_EQ(told.at("gpus").size(), machine->gpu_count());
  for (std::uint32_t i = 0; i < machine->gpu_count(); ++i) {
    const auto& gpu = told.at("gpus")[i];
    EXPECT_EQ(gpu.at("name"), machine->gpu(i).identity.name.data);
    EXPECT_EQ(gpu.at("uuid"), machine->gpu(i).identity.uuid.data);
    EXPECT_EQ(gpu.at("temperature.gpu"), machine->gpu(i).thermal.gpu_c.value);
    EXPECT_TRUE(gpu.at("processes").is_array()) << "null: the list could not be read";
  }
}

TEST_P(PythonTools, NvitopShowsEveryGpu) {
  NVMLAB_REQUIRE_CLIENT(client, "nvitop");
  const auto machine = compiler::compile(GetParam());
  ASSERT_TRUE(machine);
  const Outcome outcome = on_machine(client, {"--once", "--ascii"});
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(outcome.out.find(std::string("Driver Version: ") + machine->node().system.driver_version.data),
            std::string::npos)
      << outcome.out;
  static const std::regex row{R"(^\|\s+\d+  \S.*\|.*:.*\|)"};
  const auto shown =
      std::ranges::count_if(lines(outcome.out), [](const std::string& line) { return std::regex_search(line, row); });
  EXPECT_EQ(shown, machine->gpu_count()) << outcome.out;
}

// What one GPU tells of itself, a line for each of the machine.
std::vector<std::string> told_by_gpus(const Client& client, const char* profile, const std::string& expression) {
  const std::string script =
      "import pynvml as n\nn.nvmlInit()\n"
      "def fans(d):\n  low, high = n.c_uint(), n.c_uint()\n  n.nvmlDeviceGetMinMaxFanSpeed(d, low, high)\n"
      "  return low.value, high.value\n"
      "for i in range(n.nvmlDeviceGetCount()):\n  d = n.nvmlDeviceGetHandleByIndex(i)\n  print(" +
      expression + ")\n";
  const Outcome outcome =
      nvmlab({"run", "--profile", profile, "--", "env", "PYTHONPATH=" + client.program.parent_path().string(),
              "PYTHONDONTWRITEBYTECODE=1", "python3", "-c", script});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  return lines(outcome.out);
}

// What monitors in other languages read, and nvidia-smi does not: links by an enumerator and not in MB/s, an identity
// for each GPU, memory nodes and cores of a superchip, the range of fans that can be set.
TEST(Pynvml, TellsWhatNvidiaSmiDoesNotShow) {
  NVMLAB_REQUIRE_CLIENT(client, "pynvml-13");
  using Lines = std::vector<std::string>;
  const std::string speed = "n.nvmlDeviceGetPcieLinkMaxSpeed(d)";
  EXPECT_EQ(told_by_gpus(client, "dgx-h100", speed), Lines(8, "5"));
  EXPECT_EQ(told_by_gpus(client, "rtx-4090-server", speed + ", *fans(d)"), Lines(8, "4 30 100"));
  EXPECT_EQ(told_by_gpus(client, "gb200-nvl4", "n.nvmlDeviceGetNumaNodeId(d), n.nvmlDeviceGetNumGpuCores(d)"),
            (Lines{"2 19456", "10 19456", "18 19456", "26 19456"}));
  const Lines uuids = told_by_gpus(client, "dgx-h100", "n.nvmlDeviceGetUUID(d)");
  EXPECT_EQ(std::set<std::string>(uuids.begin(), uuids.end()).size(), 8U);
  for (const std::string& uuid : uuids)
    EXPECT_EQ(uuid.find("GPU-00000000-0000"), std::string::npos) << uuid;
}

INSTANTIATE_TEST_SUITE_P(All, PythonTools, testing::ValuesIn(kMachines), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
