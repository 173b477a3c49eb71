// SPDX-License-Identifier: Apache-2.0
//
// The main views again where loading and size differ: every symbol bound at start (LD_BIND_NOW), no configuration at
// all, and nodes of 0 to 1024 GPUs.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/clients/smi.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class SmiScale : public testing::TestWithParam<std::string_view> {
 protected:
  std::string release() const { return std::string{GetParam()}; }
};

// Table, list, both logs, every query field and the topology, on one node.
void show_everything(const Client& client, const Node& node, unsigned gpus) {
  const auto table = smi(client, {}, node);
  EXPECT_TRUE(went_well(table));
  const auto list = smi(client, {"-L"}, node);
  EXPECT_TRUE(went_well(list));
  const auto uuids = uuids_listed(list.out);
  EXPECT_EQ((std::set<std::string>{uuids.begin(), uuids.end()}.size()), gpus);
  for (const auto& arguments : {std::vector<std::string>{"-q"}, std::vector<std::string>{"-q", "-x"}}) {
    const auto log = smi(client, arguments, node);
    EXPECT_TRUE(went_well(log)) << joined(arguments);
    EXPECT_EQ(read_output(log, "log").gpus.size(), gpus) << joined(arguments);
  }
  const auto fields = query_fields(client, node);
  const auto query = smi(client, {"--query-gpu=" + joined(fields), "--format=csv,noheader"}, node);
  EXPECT_TRUE(went_well(query));
  EXPECT_EQ(lines(query.out).size(), gpus);
  const auto topology = smi(client, {"topo", "-m"}, node);
  EXPECT_TRUE(went_well(topology));
  EXPECT_EQ(count(topology.out, "\nGPU"), gpus) << topology.out;
  const auto last = smi(client, {"-i", std::to_string(gpus - 1), "--query-gpu=uuid", "--format=csv,noheader"}, node);
  EXPECT_TRUE(went_well(last));
  EXPECT_EQ(lines(last.out), std::vector<std::string>{uuids.at(gpus - 1)});
}

TEST_P(SmiScale, EverySymbolBoundAtStart) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  Node node;
  node.profile = "dgx-h100";
  node.bind_now = true;
  show_everything(client, node, 8);
}

// No variable set: eight A100-SXM4-40GB.
TEST_P(SmiScale, NothingConfigured) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto list = smi(client, {"-L"}, Node{});
  ASSERT_TRUE(went_well(list));
  EXPECT_EQ(count(list.out, "NVIDIA A100-SXM4-40GB (UUID: GPU-"), 8U) << list.out;
}

TEST_P(SmiScale, SixtyFourGpus) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  Node node;
  node.profile = "dgx-h100";
  node.gpus = 64;
  show_everything(client, node, 64);
}

TEST_P(SmiScale, OneSixteenAndAThousandGpus) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  for (const unsigned gpus : {1U, 16U, 1024U}) {
    Node node;
    node.profile = "dgx-h100";
    node.gpus = gpus;
    const auto list = smi(client, {"-L"}, node);
    EXPECT_TRUE(went_well(list)) << gpus;
    const auto uuids = uuids_listed(list.out);
    EXPECT_EQ(uuids.size(), gpus);
    EXPECT_EQ((std::set<std::string>{uuids.begin(), uuids.end()}.size()), gpus);
  }
}

// A node without a GPU is a valid node: nvidia-smi says so (exit code 6 for the table, 0 for the list) and lists none.
TEST_P(SmiScale, NoGpu) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  Node node;
  node.profile = "dgx-h100";
  node.gpus = 0;
  const auto list = smi(client, {"-L"}, node);
  EXPECT_TRUE(list.ok()) << list.story();
  EXPECT_NE(list.out.find("No devices found"), std::string::npos) << list.story();
  const auto table = smi(client, {}, node);
  EXPECT_EQ(table.exit_code, 6) << table.story();
  EXPECT_NE(table.out.find("No devices were found"), std::string::npos) << table.story();
}

INSTANTIATE_TEST_SUITE_P(All, SmiScale, testing::ValuesIn(releases), NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
