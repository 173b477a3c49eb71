// SPDX-License-Identifier: Apache-2.0
// A program on NVIDIA's Go binding that asks the same over and over (go_looper/): what it finds while the driver is
// unloaded and loaded, a GPU is removed and discovered, and another machine takes the place of its own. It prints each
// change of what it finds once, so its output is the whole story.
#include <gtest/gtest.h>

#include <regex>

#include "tests/clients/looping.hpp"

namespace nvmlab::test {
namespace {

class LoopingGo : public testing::Test, protected Looping {
 protected:
  void SetUp() override { ASSERT_TRUE(machine_.up().ok()) << machine_.up().story(); }
};

constexpr auto kAllWell = "GPUs: 8, 0: 700000 mW, 1: 700000 mW\n";
constexpr auto kNoneLeft = "GPUs: 0, 0: GPU is lost, 1: GPU is lost\n";

// GPUs go and come one by one when the driver does, and who asks meanwhile may see some of them.
std::string without_some(const std::string& told) {
  return std::regex_replace(told, std::regex("GPUs: [1-7], [^\n]*\n"), "");
}

TEST_F(LoopingGo, HandlesFromBeforeAReloadStayLost) {
  NVMLAB_REQUIRE_CLIENT(client, "go-looper");
  const Outcome outcome = loop(client, "",
                               fmt::format(R"(
seen 'GPUs: 8'
nvmlab driver unload --machine {0} --force
seen 'GPUs: 0'
nvmlab driver load --machine {0}
seen '8, 0: GPU is lost')",
                                           machine_.name()));
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(without_some(outcome.out),
            std::string(kAllWell) + kNoneLeft + "GPUs: 8, 0: GPU is lost, 1: GPU is lost\ninterrupted\n");
}

TEST_F(LoopingGo, OneThatStartsOverGetsItsGpusBack) {
  NVMLAB_REQUIRE_CLIENT(client, "go-looper");
  const Outcome outcome = loop(client, "-restart",
                               fmt::format(R"(
seen 'GPUs: 8'
nvmlab driver unload --machine {0} --force
seen 'Init: '
nvmlab driver load --machine {0}
more 1)",
                                           machine_.name()));
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(without_some(outcome.out),
            std::string(kAllWell) + kNoneLeft + "Init: Driver Not Loaded\n" + kAllWell + "interrupted\n");
}

TEST_F(LoopingGo, ARemovedGpuIsNoLongerCountedAndItsHandleIsNone) {
  NVMLAB_REQUIRE_CLIENT(client, "go-looper");
  NVMLAB_REQUIRE_CLIENT(administrator, "nvidia-smi-550");
  const Outcome outcome = loop(client, "",
                               fmt::format(R"(
seen 'GPUs: 8'
as_root() {{ nvmlab run --machine {0} --role root -- {1} "$@"; }}
as_root -i 1 -pm 0
as_root drain -p 0000:64:00.0 -m 1
as_root drain -p 0000:64:00.0 -r
seen 'GPUs: 7'
as_root drain -d
seen '8, 0: 700000 mW, 1: Invalid')",
                                           machine_.name(), administrator.program.string()));
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(outcome.out, std::string(kAllWell) +
                             "GPUs: 7, 0: 700000 mW, 1: Invalid Argument\n"
                             "GPUs: 8, 0: 700000 mW, 1: Invalid Argument\ninterrupted\n");
}

// One that goes away answers as a lost driver does; another of its name is not mistaken for it.
TEST_F(LoopingGo, AnotherMachineOfTheNameIsFoundAnewAlone) {
  NVMLAB_REQUIRE_CLIENT(client, "go-looper");
  const std::string swap = fmt::format(R"(
seen 'GPUs: 8'
nvmlab down {0}
seen 'GPU is lost'
nvmlab up {0} --profile g4dn-xlarge
)",
                                       machine_.name());
  const Outcome stays = loop(client, "", swap + "goes_on");
  EXPECT_TRUE(stays.ok()) << stays.story();
  EXPECT_EQ(stays.out, std::string(kAllWell) + kNoneLeft + "interrupted\n");
  EXPECT_TRUE(nvmlab({"down", machine_.name()}).ok());
  EXPECT_TRUE(nvmlab({"up", machine_.name(), "--profile", "dgx-h100"}).ok());
  const Outcome begins = loop(client, "-restart", swap + "seen 'GPUs: 1'");
  EXPECT_TRUE(begins.ok()) << begins.story();
  EXPECT_TRUE(begins.out.ends_with("GPUs: 1, 0: 70000 mW\ninterrupted\n")) << begins.out;
}

}  // namespace
}  // namespace nvmlab::test
