// SPDX-License-Identifier: Apache-2.0
//
// The real nvidia-smi about what a node does not share out: MIG while it is off, vGPUs where none is hosted,
// confidential computing, units and excluded GPUs. Messages and exit codes are the program's own; which of them comes
// depends on what the library answers.
#include <gtest/gtest.h>

#include <sys/types.h>
#include <unistd.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/clients/smi.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

using Arguments = std::vector<std::string>;

constexpr int kNotFound = 6;
constexpr int kNotSupported = 3;
constexpr int kNoPermission = 4;

bool is_root() { return geteuid() == 0; }

class SmiVirtual : public testing::TestWithParam<std::string_view> {
 protected:
  std::string release() const { return std::string{GetParam()}; }
  bool lists_with_mig_off() const { return release() != "nvidia-smi-535"; }
};

void expect(const Outcome& outcome, int code, const std::string& text) {
  EXPECT_EQ(outcome.exit_code, code) << outcome.story();
  EXPECT_NE(outcome.out.find(text), std::string::npos) << "no '" << text << "' in\n" << outcome.story();
  EXPECT_EQ(outcome.err, "") << outcome.story();
}

TEST_P(SmiVirtual, MigIsNotThereWhereTheChipCannot) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const Node node{.profile = "g4dn-xlarge", .gpus = {}, .driver = ""};
  const std::string said = lists_with_mig_off() ? "No MIG-supported devices found." : "No MIG-enabled devices found.";
  for (const char* action : {"-lgip", "-lgipp", "-lgi", "-lcip", "-lci", "-dgi", "-dci", "-cci"})
    expect(smi(client, {"mig", action}, node), kNotFound, said);
  expect(smi(client, {"mig", "-cgi", "19"}, node), kNotFound, said);
}

TEST_P(SmiVirtual, MigThatIsOffHasNoInstances) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  for (const char* profile : {"dgx-a100", "dgx-h100"}) {
    const Node node{.profile = profile, .gpus = {}, .driver = ""};
    const int code = lists_with_mig_off() ? 0 : kNotFound;
    for (const char* action : {"-lgi", "-lcip", "-lci", "-dgi", "-dci", "-cci"})
      expect(smi(client, {"mig", action}, node), code, "No MIG-enabled devices found.");
    expect(smi(client, {"mig", "-cgi", "19"}, node), code, "No MIG-enabled devices found.");
  }
}

// From 550 on it tells what the chip can be cut into with MIG off, and that none of it can be had now.
TEST_P(SmiVirtual, MigProfilesAreListed) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const Node node{.profile = "dgx-h100", .gpus = 1, .driver = ""};
  const auto outcome = smi(client, {"mig", "-lgip"}, node);
  if (!lists_with_mig_off()) {
    expect(outcome, kNotFound, "No MIG-enabled devices found.");
    return;
  }
  if (!is_root()) GTEST_SKIP() << "capacities are told to root";
  expect(outcome, 0, "|   0  MIG 1g.10gb       19     0/7        9.75       No     16     1     0   |");
  for (const char* row : {"MIG 1g.10gb+me    20     0/1        9.75", "MIG 1g.20gb       15     0/4        19.62",
                          "MIG 2g.20gb       14     0/3        19.62", "MIG 3g.40gb        9     0/2        39.50",
                          "MIG 4g.40gb        5     0/1        39.50", "MIG 7g.80gb        0     0/1        79.25"})
    EXPECT_NE(outcome.out.find(row), std::string::npos) << row << "\n" << outcome.out;
  EXPECT_EQ(count(outcome.out, "|   0  MIG "), 7U) << outcome.out;
  const auto placements = smi(client, {"mig", "-lgipp"}, node);
  expect(placements, 0, "GPU  0 Profile ID 14 Placements: {0,2,4}:2\n");
  EXPECT_NE(placements.out.find("GPU  0 Profile ID  0 Placement : {0}:8\n"), std::string::npos) << placements.out;
  EXPECT_EQ(lines(placements.out).size(), 7U) << placements.out;
}

TEST_P(SmiVirtual, MigSwitchesWithAReset) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const Node node{.profile = "dgx-a100", .gpus = 1, .driver = ""};
  const auto on = smi(client, {"-mig", "1"}, node);
  if (is_root()) {
    expect(on, 0, "Warning: MIG mode is in pending enable state for GPU 00000000:06:00.0:");
    expect(smi(client, {"-mig", "0"}, node), 0, "Disabled MIG Mode for GPU 00000000:06:00.0");
  } else {
    expect(on, kNoPermission, "Unable to enable MIG Mode");
  }
  const Node turing{.profile = "g4dn-xlarge", .gpus = {}, .driver = ""};
  const auto never = smi(client, {"-mig", "1"}, turing);
  EXPECT_NE(never.out.find("Unable to enable MIG"), std::string::npos) << never.story();
}

TEST_P(SmiVirtual, NoVgpuIsHosted) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  for (const char* profile : {"dgx-a100", "dgx-h100", "g4dn-xlarge"}) {
    const Node node{.profile = profile, .gpus = {}, .driver = ""};
    for (const Arguments& asked : {Arguments{"vgpu"},
                                   {"vgpu", "-q"},
                                   {"vgpu", "-s"},
                                   {"vgpu", "-s", "-v"},
                                   {"vgpu", "-c"},
                                   {"vgpu", "-ss"},
                                   {"vgpu", "-sc"},
                                   {"vgpu", "-q", "-i", "0"}})
      expect(smi(client, asked, node), 0, "No supported devices in vGPU mode");
  }
}

TEST_P(SmiVirtual, ConfidentialComputingIsOff) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const Node turing{.profile = "g4dn-xlarge", .gpus = {}, .driver = ""};
  for (const char* asked : {"-gc", "-gg", "-d", "-e", "-f", "-gm", "-grs"})
    expect(smi(client, {"conf-compute", asked}, turing), kNotFound, "No CC capable devices found.");
  const Node hopper{.profile = "dgx-h100", .gpus = 2, .driver = ""};
  std::vector<std::pair<const char*, const char*>> questions = {{"-gc", "CPU CC capabilities: None"},
                                                                {"-gg", "GPU CC capabilities: CC Capable"},
                                                                {"-d", "DevTools Mode: OFF"},
                                                                {"-e", "CC Environment: UNAVAILABLE"},
                                                                {"-f", "CC status: OFF"},
                                                                {"-grs", "GPUs Ready state: not-ready"},
                                                                {"-gm", "Unprotected memory size: 83025408 KiB"}};
  if (lists_with_mig_off()) {
    questions.emplace_back("-mgm", "Multi-GPU Mode: None");
    questions.emplace_back("-gkr", "Key Rotation Threshold Attacker Advantage: 60");
  }
  for (const auto& [asked, answer] : questions)
    expect(smi(client, {"conf-compute", asked}, hopper), 0, answer);
  const auto ready = smi(client, {"conf-compute", "-srs", "1"}, hopper);
  EXPECT_EQ(ready.exit_code, kNotSupported) << ready.story();
  const auto memory = smi(client, {"conf-compute", "-sm", "1024", "-i", "0"}, hopper);
  EXPECT_EQ(memory.exit_code, is_root() ? 0 : kNoPermission) << memory.story();
}

TEST_P(SmiVirtual, NodesHaveNoUnitAndExcludeNoGpu) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const Node node{.profile = "dgx-a100", .gpus = {}, .driver = ""};
  const auto units = smi(client, {"-q", "-u"}, node);
  expect(units, 0, "Attached Units                            : 0");
  EXPECT_NE(units.out.find("HIC Info                                  : N/A"), std::string::npos) << units.out;
  expect(smi(client, {"-B"}, node), 0, "No excluded devices found.");
}

TEST_P(SmiVirtual, UnitsAndExcludedGpusOfAProfileAreShown) {
  NVMLAB_REQUIRE_CLIENT(client, release());
  const auto file = source_folder() / "tests/drivers/functions/data" / "unit-node.yaml";
  const Node node{.profile = file.string(), .gpus = {}, .driver = ""};
  const auto units = smi(client, {"-q", "-u"}, node);
  expect(units, 0, "Attached Units                            : 2");
  for (const char* line :
       {"    HIC 9\n", "    Product Serial                        : 0330510000002\n",
        "        Cause                             : the second fan stands still\n",
        "        Voltage                           : 11.99 V\n", "            State                         : FAILED\n",
        "        GPU 1                             : 00000000:03:1E.0\n"})
    EXPECT_NE(units.out.find(line), std::string::npos) << line << units.out;
  const auto excluded = smi(client, {"-B"}, node);
  expect(excluded, 0, "Excluded GPU 1: 00000001:B2:00.0 (UUID: GPU-66666666-7777-8888-9999-000000000000)");
  const auto led = smi(client, {"-t", "AMBER"}, node);
  EXPECT_EQ(led.exit_code, is_root() ? 0 : kNoPermission) << led.story();
}

INSTANTIATE_TEST_SUITE_P(Releases, SmiVirtual, testing::ValuesIn(releases),
                         [](const auto& release) { return std::string{release.param}.substr(11); });

}  // namespace
}  // namespace nvmlab::test
