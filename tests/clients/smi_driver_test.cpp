// SPDX-License-Identifier: Apache-2.0
// nvidia-smi while the driver is unloaded, broken and loaded again.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class DriverReload : public testing::TestWithParam<std::string_view> {};

TEST_P(DriverReload, IsWhatNvidiaSmiSees) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto smi = [&](const std::vector<std::string>& arguments) { return machine.run_on(client, arguments, "root"); };
  const auto drive = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"driver", "--machine", machine.name()});
    const Outcome outcome = nvmlab(words);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
  };
  const std::string before = smi({"-L"}).out;
  ASSERT_EQ(count(before, "UUID: GPU-"), 8U);
  ASSERT_TRUE(smi({"-i", "3", "-c", "EXCLUSIVE_PROCESS"}).ok());
  drive({"unload", "--force"});
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"-L"}, {"-q"}, {"-i", "0", "-pm", "1"}}) {
    const Outcome outcome = smi(arguments);
    EXPECT_EQ(outcome.exit_code, 9) << outcome.story();
    EXPECT_NE((outcome.out + outcome.err).find("couldn't communicate with the NVIDIA driver"), std::string::npos)
        << outcome.story();
  }
  drive({"load"});
  EXPECT_EQ(smi({"-L"}).out, before);
  EXPECT_EQ(count(smi({"--query-gpu=compute_mode,persistence_mode", "--format=csv,noheader"}).out, "Default, Disabled"),
            8U);
  drive({"fail", "LIB_RM_VERSION_MISMATCH"});
  const Outcome outcome = smi({});
  EXPECT_EQ(outcome.exit_code, 18) << outcome.story();
  EXPECT_NE((outcome.out + outcome.err).find("Driver/library version mismatch"), std::string::npos) << outcome.story();
  drive({"heal"});
  EXPECT_EQ(smi({"-L"}).out, before);
}

INSTANTIATE_TEST_SUITE_P(All, DriverReload, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
