// SPDX-License-Identifier: Apache-2.0
// What nvidia-smi says of GPUs that fail: the texts and exit codes that each release has where one of several does.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/test_name.hpp"

namespace nvmlab::test {
namespace {

class Failing : public testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    NVMLAB_REQUIRE_CLIENT(client, std::string{GetParam()});
    client_ = client;
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
  }
  Outcome smi(const std::vector<std::string>& arguments) const { return machine.run_on(client_, arguments, "root"); }
  void fault(std::vector<std::string> words) const {
    words.insert(words.begin(), {"fault", "--machine", machine.name(), "--gpu", "1"});
    const auto outcome = nvmlab(words);
    ASSERT_TRUE(outcome.ok()) << outcome.story();
  }
  void heal() const {
    const auto outcome = nvmlab({"heal", "--machine", machine.name(), "--gpu", "1"});
    ASSERT_TRUE(outcome.ok()) << outcome.story();
  }
  std::string ask(const std::string& field) const {
    const auto outcome = smi({"-i", "1", "--query-gpu=" + field, "--format=csv,noheader"});
    const auto rows = lines(outcome.out);
    return rows.empty() ? outcome.story() : rows[0];
  }

  // Of the driver that the program belongs to: what it hands to slots of the internal table is that driver's.
  UpAndDown machine{"dgx-h100", {"--driver", std::string(GetParam().substr(GetParam().rfind('-') + 1))}};

 private:
  Client client_;
};

// One lost GPU stops the table of all; a healthy one can still be asked for by itself.
TEST_P(Failing, AGpuOffTheBusStopsTheTable) {
  const auto healthy = smi({"-L"}).out;
  fault({"xid", "79"});
  const auto table = smi({});
  EXPECT_EQ(table.exit_code, 15) << table.story();
  EXPECT_NE(table.out.find("Unable to determine the device handle for GPU"), std::string::npos) << table.story();
  EXPECT_NE(table.out.find(":64:00.0: GPU is lost.  Reboot the system to recover this GPU"), std::string::npos)
      << table.story();
  EXPECT_EQ(table.out.find("Driver Version"), std::string::npos) << "no table";
  const auto list = smi({"-L"});
  EXPECT_EQ(list.exit_code, 15) << list.story();
  EXPECT_EQ(count(list.out, "UUID: GPU-"), 7U) << "a list goes on: " << list.story();
  const auto other = smi({"-i", "2", "--query-gpu=index,name", "--format=csv,noheader"});
  EXPECT_TRUE(other.ok()) << other.story();
  heal();
  EXPECT_EQ(smi({"-L"}).out, healthy);
  EXPECT_TRUE(went_well(smi({})));
}

TEST_P(Failing, AGpuThatMustBeResetSaysSo) {
  fault({"xid", "119"});
  const auto table = smi({});
  EXPECT_EQ(table.exit_code, 0) << table.story();
  EXPECT_NE(table.out.find("GPU requires reset"), std::string::npos) << table.story();
  EXPECT_EQ(ask("name,temperature.gpu"), "NVIDIA H100 80GB HBM3, [GPU requires reset]");
  ASSERT_TRUE(smi({"-i", "1", "-pm", "0"}).ok());
  const auto reset = smi({"-i", "1", "-r"});
  EXPECT_TRUE(reset.ok()) << reset.story();
  EXPECT_TRUE(went_well(smi({})));
  EXPECT_EQ(ask("temperature.gpu").find("GPU requires reset"), std::string::npos);
}

TEST_P(Failing, RowsToRemapAreShownUntilTheReset) {
  fault({"ecc-uncorrected", "dram"});
  EXPECT_EQ(ask("ecc.errors.uncorrected.volatile.total"), "1");
  const auto rows = smi({"-i", "1", "-q", "-d", "ROW_REMAPPER"});
  EXPECT_NE(rows.out.find("Pending                           : Yes"), std::string::npos) << rows.out;
  ASSERT_TRUE(smi({"-i", "1", "-pm", "0"}).ok());
  const auto reset = smi({"-i", "1", "-r"});
  ASSERT_TRUE(reset.ok()) << reset.story();
  EXPECT_EQ(ask("ecc.errors.uncorrected.volatile.total"), "0");
  EXPECT_EQ(ask("ecc.errors.uncorrected.aggregate.total"), "1");
  const auto after = smi({"-i", "1", "-q", "-d", "ROW_REMAPPER"});
  EXPECT_NE(after.out.find("Pending                           : No"), std::string::npos) << after.out;
}

TEST_P(Failing, HeatSlowsTheClocksDown) {
  fault({"thermal-slowdown"});
  EXPECT_EQ(ask("clocks_throttle_reasons.hw_thermal_slowdown"), "Active");
  EXPECT_EQ(ask("clocks_throttle_reasons.hw_slowdown"), "Active");
  heal();
  EXPECT_EQ(ask("clocks_throttle_reasons.hw_thermal_slowdown"), "Not Active");
}

INSTANTIATE_TEST_SUITE_P(All, Failing, testing::Values("nvidia-smi-470", "nvidia-smi-535", "nvidia-smi-550"),
                         NamedByParam{});

}  // namespace
}  // namespace nvmlab::test
