// SPDX-License-Identifier: Apache-2.0
// nvidia-smi drain: a GPU goes out of service step by step and comes back, and every other nvidia-smi sees it.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

constexpr auto place = "0000:64:00.0";  // GPU 1 of a DGX H100

class Draining : public testing::TestWithParam<std::string_view> {};

TEST_P(Draining, FromServiceAndBack) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  const auto smi = [&](const std::vector<std::string>& arguments) { return machine.run_on(client, arguments, "root"); };
  const auto drain = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"drain", "-p", place});
    return smi(arguments);
  };
  const auto listed = [&] { return count(smi({"-L"}).out, "UUID: GPU-"); };
  const auto all = smi({"-L"}).out;

  EXPECT_FALSE(drain({"-m", "1"}).ok()) << "persistence mode is on";
  ASSERT_TRUE(smi({"-i", "1", "-pm", "0"}).ok());
  EXPECT_FALSE(drain({"-r"}).ok()) << "it does not drain yet";
  const auto draining = drain({"-m", "1"});
  EXPECT_NE(draining.out.find("drain state to: draining."), std::string::npos) << draining.story();
  const auto query = drain({"-q"});
  EXPECT_NE(query.out.find("is: draining."), std::string::npos) << query.story();
  EXPECT_EQ(listed(), 7U);
  EXPECT_TRUE(drain({"-m", "0"}).ok());
  EXPECT_EQ(smi({"-L"}).out, all);

  ASSERT_TRUE(drain({"-m", "1"}).ok());
  const auto removed = drain({"-r"});
  EXPECT_NE(removed.out.find("successfully removed"), std::string::npos) << removed.story();
  EXPECT_EQ(listed(), 7U);
  EXPECT_FALSE(drain({"-q"}).ok()) << "there is no such GPU";
  EXPECT_TRUE(went_well(smi({})));
  EXPECT_TRUE(went_well(smi({"-q"})));
  EXPECT_TRUE(went_well(smi({"topo", "-m"})));
  EXPECT_EQ(lines(smi({"--query-gpu=index,pci.bus_id", "--format=csv,noheader"}).out)[1], "1, 00000000:75:00.0");

  const auto found = smi({"drain", "-d"});
  EXPECT_TRUE(found.ok()) << found.story();
  EXPECT_EQ(smi({"-L"}).out, all);
  const auto after = drain({"-q"});
  EXPECT_NE(after.out.find("is: not draining."), std::string::npos) << after.story();
}

TEST_P(Draining, IsRoots) {
  NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
  const UpAndDown machine{"dgx-h100"};
  ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  ASSERT_TRUE(machine.run_on(client, {"-pm", "0"}, "root").ok());
  EXPECT_FALSE(machine.run_on(client, {"drain", "-p", place, "-m", "1"}, "user").ok());
  EXPECT_FALSE(machine.run_on(client, {"drain", "-d"}, "user").ok());
  const auto query = machine.run_on(client, {"drain", "-p", place, "-q"}, "user");
  EXPECT_NE(query.out.find("is: not draining."), std::string::npos) << query.story();
}

INSTANTIATE_TEST_SUITE_P(All, Draining, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
