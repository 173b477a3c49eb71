// SPDX-License-Identifier: Apache-2.0
// What a GPU's snapshot says in `nvmlab smi --json`, held against the members beside it, which getters of their own
// answer, and against what `nvmlab get` reads of the machine.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class SmiJson : public Cli {
 protected:
  json gpu(unsigned index) const { return json::parse(good({"smi", "--machine", "m", "--json"}))["gpus"][index]; }
  std::string read(const std::string& gpu, const std::string& path) const {
    const std::string line = good({"get", "--machine", "m", "--gpu", gpu, path});
    return line.substr(0, line.find('\n'));
  }
};

struct Count {
  const char* member;
  json::json_pointer in_snapshot;
  double factor;  // of the snapshot's unit
};

// Null where the other one is.
void expect_equal(const json& gpu, const Count& count) {
  const json& there = gpu[count.member];
  const json& in_snapshot = gpu["snapshot"][count.in_snapshot];
  SCOPED_TRACE(count.member);
  ASSERT_EQ(there.is_null(), in_snapshot.is_null());
  if (there.is_null()) return;
  EXPECT_DOUBLE_EQ(there.get<double>(), in_snapshot["value"].get<double>() * count.factor);
}

TEST_F(SmiJson, SnapshotsSayWhatTheMembersBesideThemSay) {
  const Count counts[] = {
      {"power_w", json::json_pointer("/power_usage"), 1e-3},
      {"power_limit_w", json::json_pointer("/enforced_power_limit"), 1e-3},
      {"fan_percent", json::json_pointer("/fan_speed"), 1},
      {"memory_total_mib", json::json_pointer("/memory_info/total"), 1.0 / (1 << 20)},
      {"gpu_percent", json::json_pointer("/utilization_rates/gpu"), 1},
      {"memory_percent", json::json_pointer("/utilization_rates/memory"), 1},
  };
  const struct {
    const char* profile;
    const char* driver;
  } nodes[] = {{"dgx-a100", "470"}, {"dgx-h100", "535"}, {"dgx-h100", "580"}, {"rtx-4090-server", "580"}};
  for (const auto& [profile, driver] : nodes) {
    SCOPED_TRACE(std::string(profile) + " with driver " + driver);
    good({"up", "m", "--profile", profile, "--gpus", "2", "--driver", driver, "--clock", "frozen"});
    for (const unsigned index : {0U, 1U}) {
      const json one = gpu(index);
      const json& snapshot = one["snapshot"];
      EXPECT_GE(snapshot.size(), 120U);
      EXPECT_EQ(snapshot["name"], one["name"]);
      EXPECT_EQ(snapshot["name"], read(std::to_string(index), "identity.name"));
      EXPECT_EQ(snapshot["uuid"], one["uuid"]);
      EXPECT_EQ(snapshot["uuid"], read(std::to_string(index), "identity.uuid"));
      EXPECT_EQ(snapshot["pci_info"]["bus_id"], one["bus_id"]);
      EXPECT_EQ(snapshot["compute_mode"], one["compute_mode"]);
      for (const Count& count : counts)
        expect_equal(one, count);
    }
    good({"down", "m"});
  }
}

TEST_F(SmiJson, SnapshotsSayWhyAMemberIsNull) {
  good({"up", "m", "--profile", "dgx-h100", "--gpus", "1"});
  good({"set", "--machine", "m", "power.draw_mw=answer:UNKNOWN"});
  const json snapshot = gpu(0)["snapshot"];
  EXPECT_EQ(snapshot["power_usage"], nullptr);
  EXPECT_EQ(snapshot["errors"]["power_usage"], "Unknown Error");
  EXPECT_EQ(snapshot["errors"]["fan_speed"], "Not Supported") << "an SXM board has no fan";
  EXPECT_FALSE(snapshot["errors"].contains("name"));
}

}  // namespace
}  // namespace nvmlab::test
