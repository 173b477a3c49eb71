// SPDX-License-Identifier: Apache-2.0
//
// The views of the real nvidia-smi on every shipped machine: each ends with exit code 0 and shows the board's own
// facts.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/clients/smi.hpp"

namespace nvmlab::test {
namespace {

class SmiViews : public testing::TestWithParam<ReleaseOnMachine> {
 protected:
  const Machine& machine() const { return std::get<1>(GetParam()); }
  std::string release() const { return std::string{std::get<0>(GetParam())}; }
  Node node() const { return node_of(machine()); }
};

// A PCI bus id stands once in each GPU's row of the table.
std::size_t rows_in_table(std::string_view output) {
  return count(output, "| 00000000:") + count(output, "|   00000000:");
}

std::string without_spaces(std::string text) {
  std::erase(text, ' ');
  return text;
}

TEST_P(SmiViews, Table) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto facts = facts_of(machine());
  const auto outcome = smi(client, {}, node());
  ASSERT_TRUE(went_well(outcome));
  EXPECT_NE(outcome.out.find("NVIDIA-SMI " + client.version), std::string::npos) << outcome.out;
  EXPECT_EQ(rows_in_table(outcome.out), machine().gpus) << outcome.out;
  EXPECT_EQ(count(outcome.out, fact(facts, 0, "product_name")), machine().gpus) << outcome.out;
  EXPECT_EQ(count(outcome.out, without_spaces(fact(facts, 0, "fb_memory_usage/total"))), machine().gpus) << outcome.out;
  EXPECT_NE(outcome.out.find("No running processes found"), std::string::npos) << outcome.out;
}

TEST_P(SmiViews, List) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto outcome = smi(client, {"-L"}, node());
  ASSERT_TRUE(went_well(outcome));
  const auto uuids = uuids_listed(outcome.out);
  EXPECT_EQ(uuids.size(), machine().gpus) << outcome.out;
  EXPECT_EQ((std::set<std::string>{uuids.begin(), uuids.end()}.size()), machine().gpus) << outcome.out;
  EXPECT_EQ(count(outcome.out, fact(facts_of(machine()), 0, "product_name") + " (UUID"), machine().gpus) << outcome.out;
}

TEST_P(SmiViews, Query) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto outcome = smi(client, {"-q"}, node());
  ASSERT_TRUE(went_well(outcome));
  const auto log = read_output(outcome, release() + " -q");
  EXPECT_EQ(log.format, capture::Format::text);
  ASSERT_EQ(log.gpus.size(), machine().gpus);
  const auto* name = log.find(static_cast<int>(machine().gpus) - 1, "Product Name");
  ASSERT_NE(name, nullptr);
  EXPECT_EQ(name->value, fact(facts_of(machine()), 0, "product_name"));
}

TEST_P(SmiViews, QueryXml) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto outcome = smi(client, {"-q", "-x"}, node());
  ASSERT_TRUE(went_well(outcome));
  ASSERT_TRUE(outcome.out.starts_with("<?xml")) << outcome.out.substr(0, 200);
  const auto log = read_output(outcome, release() + " -q -x");
  EXPECT_EQ(log.format, capture::Format::xml);
  EXPECT_EQ(log.dtd, "v12");
  ASSERT_EQ(log.gpus.size(), machine().gpus);
  EXPECT_EQ(log.find(capture::node, "attached_gpus")->value, std::to_string(machine().gpus));
  EXPECT_EQ((std::set<std::string>{log.gpus.begin(), log.gpus.end()}.size()), machine().gpus) << "bus ids repeat";
}

// Rows and columns for each GPU; on the DGX machines every pair is joined by NVLink.
TEST_P(SmiViews, Topology) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto outcome = smi(client, {"topo", "-m"}, node());
  ASSERT_TRUE(went_well(outcome));
  std::size_t rows = 0;
  for (const auto& line : lines(outcome.out)) {
    if (!line.starts_with("GPU")) continue;
    ++rows;
    EXPECT_EQ(count(line, " X "), 1U) << line;
    EXPECT_EQ(count(line, "NV"), machine().gpus - 1) << line;
  }
  EXPECT_EQ(rows, machine().gpus) << outcome.out;
}

// Through a slot of the internal table.
TEST_P(SmiViews, NearestNumaNodeOfTheCpu) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  std::set<std::string> nodes;
  for (unsigned gpu = 0; gpu < machine().gpus; ++gpu) {
    const auto outcome = smi(client, {"topo", "-C", "-i", std::to_string(gpu)}, node());
    ASSERT_TRUE(went_well(outcome));
    constexpr std::string_view start = "NUMA IDs of closest CPU:";
    ASSERT_TRUE(outcome.out.starts_with(start)) << outcome.out;
    nodes.insert(outcome.out.substr(start.size()));
  }
  EXPECT_EQ(nodes.size(), machine().profile == "dgx-h100" ? 2U : machine().profile == "dgx-a100" ? 4U : 1U);
}

TEST_P(SmiViews, OneGpuAtATime) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto all = uuids_listed(smi(client, {"-L"}, node()).out);
  ASSERT_EQ(all.size(), machine().gpus);
  for (unsigned gpu = 0; gpu < machine().gpus; ++gpu) {
    const auto index = std::to_string(gpu);
    const auto table = smi(client, {"-i", index}, node());
    EXPECT_TRUE(went_well(table)) << "-i " << index;
    EXPECT_EQ(rows_in_table(table.out), 1U) << table.out;
    EXPECT_NE(table.out.find("|   " + index + "  "), std::string::npos) << table.out;
    const auto uuid = smi(client, {"-i", index, "--query-gpu=uuid", "--format=csv,noheader"}, node());
    EXPECT_TRUE(went_well(uuid)) << "-i " << index;
    EXPECT_EQ(lines(uuid.out), std::vector<std::string>{all[gpu]});
  }
}

// By UUID and by PCI place too; and a GPU that is not there is refused.
TEST_P(SmiViews, OneGpuByItsOtherNames) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto known = smi(client, {"--query-gpu=index,uuid,pci.bus_id", "--format=csv,noheader"}, node());
  ASSERT_TRUE(went_well(known));
  ASSERT_EQ(lines(known.out).size(), machine().gpus) << known.out;
  const auto last = cells(lines(known.out).back());
  ASSERT_EQ(last.size(), 3U) << known.out;
  for (const auto& name : {last[1], last[2]}) {
    const auto outcome =
        smi(client, {"-i", name, "--query-gpu=index,uuid,pci.bus_id", "--format=csv,noheader"}, node());
    EXPECT_TRUE(went_well(outcome)) << "-i " << name;
    EXPECT_EQ(lines(outcome.out), std::vector<std::string>{lines(known.out).back()}) << "-i " << name;
  }
  const auto beyond = smi(client, {"-i", std::to_string(machine().gpus)}, node());
  EXPECT_GT(beyond.exit_code, 0) << beyond.story();
}

INSTANTIATE_TEST_SUITE_P(All, SmiViews, testing::Combine(testing::ValuesIn(releases), testing::ValuesIn(machines)),
                         case_name);

}  // namespace
}  // namespace nvmlab::test
