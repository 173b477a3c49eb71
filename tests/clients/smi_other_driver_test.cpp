// SPDX-License-Identifier: Apache-2.0
//
// nvidia-smi with the driver of its own branch on boards that were captured under another one, and on the oldest
// drivers: what newer drivers took away is there, and nothing that the old program cannot take.
#include <gtest/gtest.h>

#include <algorithm>

#include <fmt/format.h>

#include "compiler/shipped.hpp"
#include "tests/clients/shared_machine.hpp"

namespace nvmlab::test {
namespace {

// Programs under `nvmlab run`, with the driver of their branch unless another is named.
Outcome on_own_driver(const Client& client, const std::string& profile, const std::vector<std::string>& arguments) {
  std::vector<std::string> words{
      "run", "--profile", profile, "--driver", client.version, "--", client.program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return nvmlab(words);
}

class SmiOnOlderDriver : public testing::TestWithParam<std::string> {};

TEST_P(SmiOnOlderDriver, FindsNothingDeprecatedOnAnyBoard) {
  NVMLAB_REQUIRE_CLIENT(client, GetParam());
  for (const auto& profile : compiler::shipped_profiles()) {
    if (!profile.machine) continue;
    const Outcome outcome = on_own_driver(client, std::string(profile.name), {"-q", "-i", "0"});
    EXPECT_TRUE(went_well(outcome)) << profile.name;
    EXPECT_EQ(outcome.out.find("deprecated"), std::string::npos) << profile.name << "\n" << outcome.out;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmiOnOlderDriver, testing::Values("nvidia-smi-460", "nvidia-smi-535", "nvidia-smi-555"),
                         [](const auto& each) { return "branch_" + each.param.substr(each.param.rfind('-') + 1); });

// What the boards' own captures do not tell comes from another capture of the board, or of its family.
TEST(SmiOnAnotherDriver, ShowsTheClocksThatNewerDriversRefuse) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-535");
  const auto clocks = [&](const std::string& profile, const std::string& driver) {
    const Outcome outcome =
        nvmlab({"run", "--profile", profile, "--driver", driver, "--", client.program.string(), "-i", "0",
                "--query-gpu=clocks.applications.graphics,power.management,display_mode", "--format=csv,noheader"});
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return outcome.out;
  };
  constexpr std::string_view refused = "[Requested functionality has been deprecated]";
  EXPECT_EQ(clocks("g4dn-xlarge", "535"), "585 MHz, Enabled, Enabled\n");
  EXPECT_EQ(clocks("g6e-xlarge", "535"), "2520 MHz, Enabled, Enabled\n");
  EXPECT_EQ(clocks("gpu-h100x1-80gb-mig", "535"), "1980 MHz, Enabled, Enabled\n");
  EXPECT_EQ(clocks("dgx-a100", "580"), fmt::format("1095 MHz, Enabled, {}\n", refused));
  EXPECT_EQ(clocks("dgx-a100", "595"), fmt::format("{}, {}, {}\n", refused, refused, refused));
}

// Captures of 535.54 and 535.86 show it all: the early ones of the branch have the table of the late ones.
TEST(SmiOnAnotherDriver, OfOneBranchAsksForNothingThatItsEarlyReleasesLack) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-535");
  for (const char* driver : {"535.54.03", "535.86.05", "535.104.05"}) {
    const Outcome outcome = nvmlab(
        {"run", "--profile", "rtx-4090-server", "--driver", driver, "--", client.program.string(), "-q", "-i", "0"});
    ASSERT_TRUE(outcome.ok()) << outcome.story();
    EXPECT_EQ(outcome.out.find("Uninitialized"), std::string::npos) << driver << "\n" << outcome.out;
    EXPECT_NE(outcome.out.find("Addressing Mode                       : None"), std::string::npos) << outcome.out;
  }
}

// Drivers that know six links, whose nvidia-smi goes round and round where there are more.
TEST(SmiOnAnotherDriver, OfOldEndsWithItsLinks) {
  for (const char* name : {"nvidia-smi-390", "nvidia-smi-418"}) {
    NVMLAB_REQUIRE_CLIENT(client, name);
    for (const char* profile : {"dgx-a100", "dgx-h100"}) {
      const Outcome outcome = on_own_driver(client, profile, {"nvlink", "-s"});
      ASSERT_TRUE(outcome.ok()) << outcome.story();
      EXPECT_EQ(count(outcome.out, "Link 5:"), 8U) << outcome.out;
      EXPECT_EQ(count(outcome.out, "Link 6:"), 0U) << outcome.out;
    }
  }
}

TEST(SmiOnAnotherDriver, OfOldListsGraphicsToo) {
  NVMLAB_REQUIRE_CLIENT(client, "nvidia-smi-390");
  const Outcome outcome = on_own_driver(client, "gtx-1080-rig", {});
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_EQ(count(outcome.out, "G   /usr/lib/xorg/Xorg"), 2U) << outcome.out;
  EXPECT_EQ(count(outcome.out, "C   /opt/nbminer/nbminer"), 2U) << outcome.out;
}

class SmiProcesses : public testing::TestWithParam<std::string> {};

// A person who plays a machine says which process holds what; without a name it has none, whoever has its number here.
TEST_P(SmiProcesses, AreListedWithoutANameOfTheirOwn) {
  NVMLAB_REQUIRE_CLIENT(client, GetParam());
  const std::string name = fmt::format("test-{}", ::getpid());
  ASSERT_TRUE(nvmlab({"up", name, "--profile", "t4", "--driver", client.version}).ok());
  const Outcome set = nvmlab({"set", "--machine", name, "--gpu", "0",
                              fmt::format("processes.running=[{{pid: {}, kinds: 1, used_bytes: 64 MiB}}, "
                                          "{{pid: 4194304, kinds: 1, used_bytes: 32 MiB}}]",
                                          ::getpid())});
  EXPECT_TRUE(set.ok()) << set.story();
  const Outcome table = nvmlab({"run", "--machine", name, "--", client.program.string()});
  EXPECT_TRUE(nvmlab({"down", name}).ok());
  ASSERT_TRUE(table.ok()) << table.story();
  EXPECT_NE(table.out.find(fmt::format("{}      C   [Not Found]", ::getpid())), std::string::npos) << table.out;
  EXPECT_NE(table.out.find(" 64MiB |"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("4194304      C   [Not Found]"), std::string::npos) << table.out;
}

INSTANTIATE_TEST_SUITE_P(All, SmiProcesses,
                         testing::Values("nvidia-smi-525", "nvidia-smi-535", "nvidia-smi-550", "nvidia-smi-555"),
                         [](const auto& each) { return "branch_" + each.param.substr(each.param.rfind('-') + 1); });

}  // namespace
}  // namespace nvmlab::test
