// SPDX-License-Identifier: Apache-2.0
//
// gpustat and nvitop on machines with drivers from 418 to 595. Both look for the newest version of a function first and
// fall back where the library lacks it, so they find the right one only where the library is that of the driver.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

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

INSTANTIATE_TEST_SUITE_P(All, PythonTools, testing::ValuesIn(kMachines), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
