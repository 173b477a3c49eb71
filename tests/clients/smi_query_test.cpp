// SPDX-License-Identifier: Apache-2.0
//
// --query-gpu with every field that this very nvidia-smi lists in its help: all at once on every machine, and each by
// itself, because fields share no code inside nvidia-smi and one that ends it would otherwise hide the rest.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "tests/clients/smi.hpp"

namespace nvmlab::test {
namespace {

class SmiQuery : public testing::TestWithParam<ReleaseOnMachine> {
 protected:
  const Machine& machine() const { return std::get<1>(GetParam()); }
  std::string release() const { return std::string{std::get<0>(GetParam())}; }
};

// The rows of a query, each as long as the list of fields.
std::vector<std::vector<std::string>> rows_of(const Client& client, const Node& node,
                                              const std::vector<std::string>& fields) {
  const auto outcome = smi(client, {"--query-gpu=" + joined(fields), "--format=csv,noheader"}, node);
  EXPECT_TRUE(went_well(outcome)) << joined(fields);
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : lines(outcome.out)) {
    rows.push_back(cells(line));
    EXPECT_EQ(rows.back().size(), fields.size()) << line;
  }
  return rows;
}

// Two runs are two moments.
bool moves(const std::string& field) { return field == "timestamp"; }

TEST_P(SmiQuery, AllFieldsAtOnce) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto node = node_of(machine());
  const auto fields = query_fields(client, node);
  ASSERT_GE(fields.size(), 141U) << "the help was not understood: " << joined(fields);
  const auto rows = rows_of(client, node, fields);
  ASSERT_EQ(rows.size(), machine().gpus);
  const auto facts = facts_of(machine());
  const auto cell = [&](std::size_t gpu, std::string_view field) {
    const auto at = std::ranges::find(fields, field) - fields.begin();
    return rows[gpu].at(static_cast<std::size_t>(at));
  };
  for (std::size_t gpu = 0; gpu < machine().gpus; ++gpu) {
    EXPECT_EQ(cell(gpu, "index"), std::to_string(gpu));
    EXPECT_EQ(cell(gpu, "count"), std::to_string(machine().gpus));
    EXPECT_EQ(cell(gpu, "name"), fact(facts, 0, "product_name"));
    EXPECT_EQ(cell(gpu, "memory.total"), fact(facts, 0, "fb_memory_usage/total"));
    EXPECT_EQ(cell(gpu, "clocks.max.sm"), fact(facts, 0, "max_clocks/sm_clock"));
    EXPECT_EQ(cell(gpu, "power.limit"), cell(gpu, "power.default_limit"));
  }
}

TEST_P(SmiQuery, EachFieldAlone) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto node = node_of(machine());
  const auto fields = query_fields(client, node);
  ASSERT_GE(fields.size(), 141U);
  const auto together = rows_of(client, node, fields);
  ASSERT_EQ(together.size(), machine().gpus);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const auto alone = rows_of(client, node, {fields[i]});
    ASSERT_EQ(alone.size(), machine().gpus) << fields[i];
    for (std::size_t gpu = 0; gpu < alone.size() && !moves(fields[i]); ++gpu) {
      EXPECT_EQ(alone[gpu].at(0), together[gpu].at(i))
          << fields[i] << " of GPU " << gpu << " alone and with all others";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SmiQuery, testing::Combine(testing::ValuesIn(releases), testing::ValuesIn(machines)),
                         case_name);

}  // namespace
}  // namespace nvmlab::test
