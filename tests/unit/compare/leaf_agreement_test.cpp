// SPDX-License-Identifier: Apache-2.0
//
// What no field carries counts against the agreement: an importer that reads nothing agrees with nothing.
#include "compare/leaf_agreement.hpp"

#include <gtest/gtest.h>

#include "compare/fields.hpp"
#include "compiler/compile.hpp"

namespace nvmlab::compare {
namespace {

LeafAgreement agreement(const std::string& profile, const std::string& more) {
  const importer::Input input{
      "in.xml",
      "<nvidia_smi_log>\n<driver_version>550.90.07</driver_version>\n<attached_gpus>1</attached_gpus>\n"
      "<gpu id=\"00000000:01:00.0\">\n<product_name>NVIDIA X100</product_name>\n" +
          more + "</gpu>\n</nvidia_smi_log>\n"};
  importer::LeafLedger leaves;
  const auto capture = fields_of({&input, 1}, &leaves);
  const auto machine = compiler::compile_text(
      "profile: p\nsources: {us: {kind: assumed, why: test}}\nsource: us\nsystem: {driver_version: 550.90.07}\n"
      "identity: {name: NVIDIA X100}\n" +
          profile,
      "p.yaml", "p");
  if (!capture || !machine) {
    ADD_FAILURE() << "a side could not be made";
    return {};
  }
  const Side side = fields_of(*machine);
  return leaf_agreement(leaves, compare(side, *capture));
}

TEST(LeafAgreement, CountsWhatNoFieldCarries) {
  const auto all = agreement("power: {limit_mw: 70000}\n",
                             "<gpu_power_readings><requested_power_limit>70.00 W</requested_power_limit>"
                             "</gpu_power_readings>\n<timestamp>now</timestamp><never_heard_of>7</never_heard_of>");
  EXPECT_EQ(all.total, 7U);
  EXPECT_EQ(all.equal, 5U) << "driver, number of GPUs, address, name, limit";
  EXPECT_EQ(all.left, 2U);
  EXPECT_EQ(all.left_steady, 1U) << "a moment is no property of a board";
  EXPECT_NEAR(all.percent(), 83.33, 0.01);
  ASSERT_EQ(all.not_carried.size(), 2U);
}

TEST(LeafAgreement, CountsSilenceOfTheProfile) {
  const auto all = agreement("power: {limit_mw: 60000}\n",
                             "<gpu_power_readings><requested_power_limit>70.00 W</requested_power_limit>"
                             "</gpu_power_readings>\n<vbios_version>1</vbios_version>"
                             "<temperature><gpu_temp>41 C</gpu_temp></temperature>");
  EXPECT_EQ(all.different, 3U)
      << "another limit; VBIOS and temperature, which a profile that is silent does not support";
  EXPECT_EQ(all.equal, 4U);
}

}  // namespace
}  // namespace nvmlab::compare
