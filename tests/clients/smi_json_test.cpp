// SPDX-License-Identifier: Apache-2.0
//
// The snapshots of `nvmlab smi --json` say what nvidia-smi says of the same machine, and null where it says N/A.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/clients/shared_machine.hpp"
#include "tests/clients/smi.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

struct Field {
  const char* query;  // of --query-gpu
  const char* in_snapshot;
  double factor = 0;  // from the snapshot's unit to nvidia-smi's, with two digits; 0: as it is
};

constexpr Field fields[] = {
    {"name", "/name"},
    {"uuid", "/uuid"},
    {"serial", "/serial"},
    {"vbios_version", "/vbios_version"},
    {"inforom.img", "/inforom_image_version"},
    {"pci.bus_id", "/pci_info/bus_id"},
    {"pcie.link.gen.max", "/max_pcie_link_generation"},
    {"pcie.link.width.max", "/max_pcie_link_width"},
    {"fan.speed", "/fan_speed/value"},
    {"utilization.gpu", "/utilization_rates/gpu/value"},
    {"power.draw", "/power_usage/value", 1e-3},
    {"power.limit", "/power_management_limit/value", 1e-3},
    {"enforced.power.limit", "/enforced_power_limit/value", 1e-3},
    {"power.default_limit", "/default_power_management_limit/value", 1e-3},
    {"power.min_limit", "/power_management_limit_constraints/min/value", 1e-3},
    {"power.max_limit", "/power_management_limit_constraints/max/value", 1e-3},
    {"encoder.stats.sessionCount", "/encoder_stats/session_count"},
};

std::string as_smi_says_it(const json& snapshot, const Field& field) {
  const json::json_pointer place(field.in_snapshot);
  if (!snapshot.contains(place)) return "[N/A]";
  const json& value = snapshot[place];
  if (value.is_null()) return "[N/A]";
  if (value.is_string()) return value.get<std::string>();
  return field.factor == 0 ? value.dump() : fmt::format("{:.2f}", value.get<double>() * field.factor);
}

class SmiJson : public testing::TestWithParam<std::string> {};

TEST_P(SmiJson, SnapshotsSayWhatNvidiaSmiSays) {
  NVMLAB_REQUIRE_CLIENT(client, GetParam());
  std::vector<std::string> names;
  for (const Field& field : fields)
    names.emplace_back(field.query);
  unsigned compared = 0;
  for (const char* profile : {"dgx-a100", "rtx-4090-server"}) {
    SCOPED_TRACE(profile);
    const UpAndDown machine(profile, {"--gpus", "2", "--driver", client.version, "--clock", "frozen"});
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    const Outcome asked = nvmlab({"run", "--machine", machine.name(), "--", client.program.string(),
                                  "--query-gpu=" + joined(names), "--format=csv,noheader,nounits"});
    ASSERT_TRUE(went_well(asked));
    const Outcome ours = nvmlab({"smi", "--machine", machine.name(), "--json"});
    ASSERT_TRUE(ours.ok()) << ours.story();
    const json gpus = json::parse(ours.out)["gpus"];
    const auto rows = lines(asked.out);
    ASSERT_EQ(rows.size(), gpus.size());
    for (std::size_t gpu = 0; gpu < rows.size(); ++gpu) {
      const auto said = cells(rows[gpu]);
      ASSERT_EQ(said.size(), std::size(fields));
      for (std::size_t i = 0; i < said.size(); ++i, ++compared)
        EXPECT_EQ(as_smi_says_it(gpus[gpu]["snapshot"], fields[i]), said[i]) << fields[i].query << " of GPU " << gpu;
    }
  }
  EXPECT_EQ(compared, 4 * std::size(fields));
}

INSTANTIATE_TEST_SUITE_P(All, SmiJson, testing::Values("nvidia-smi-470", "nvidia-smi-535", "nvidia-smi-555"),
                         [](const auto& each) { return "branch_" + each.param.substr(each.param.rfind('-') + 1); });

}  // namespace
}  // namespace nvmlab::test
