// SPDX-License-Identifier: Apache-2.0
//
// The page on the shipped profiles and the table behind it: current, complete, and good enough.
#include <gtest/gtest.h>

#include <algorithm>

#include "evidence/page.hpp"
#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

using evidence::Agreement;
using evidence::Measured;

Measured committed() {
  const auto text = read_file(source_folder() / "tools/evidence/evidence.tsv");
  auto table = evidence::read_table(text.value_or(""));
  EXPECT_TRUE(table) << table.error();
  return table.value_or(Measured{});
}

TEST(Evidence, TheTableIsReadAsItWasWritten) {
  const Measured measured{{"a", {"some/file.xml", 7, 8, {"pci.bus", "power.limit_mw"}}}, {"b", {"c", 1, 1, {}}}};
  const auto again = evidence::read_table(evidence::table_of(measured));
  ASSERT_TRUE(again) << again.error();
  ASSERT_EQ(again->size(), 2U);
  EXPECT_EQ(again->at("a").capture, "some/file.xml");
  EXPECT_EQ(again->at("a").compared, 8U);
  EXPECT_EQ(again->at("a").differing, measured.at("a").differing);
  EXPECT_TRUE(again->at("b").differing.empty());
  for (const char* line : {"a\tb\t1\t2\n", "a\tb\tx\t2\t\n", "a\tb\t1\t2\t\tmore\n", "a\tb\t1\t-2\t\n"}) {
    const auto damaged = evidence::read_table(std::string("# remark\n") + line);
    ASSERT_FALSE(damaged) << line;
    EXPECT_TRUE(damaged.error().starts_with("2: five cells")) << damaged.error();
  }
}

// Where the captures are beside the checkout, it measures anew.
TEST(Evidence, PageAndTableAreCurrent) {
  Command command;
  command.arguments = {(binary_folder() / "bin" / "profile-evidence").string(), source_folder().string(), "--check"};
  const auto outcome = run(command);
  EXPECT_TRUE(outcome.ok()) << outcome.story();
}

TEST(Evidence, EveryProfileWithACaptureIsMeasured) {
  const auto profiles = evidence::shipped_profiles();
  ASSERT_TRUE(profiles) << profiles.error();
  const auto measured = committed();
  std::size_t without = 0;
  for (const auto& profile : *profiles) {
    if (profile.main_capture.empty()) {
      ++without;
      continue;
    }
    ASSERT_TRUE(measured.contains(profile.name)) << profile.name;
    EXPECT_EQ(measured.at(profile.name).capture, profile.main_capture) << profile.name;
  }
  EXPECT_EQ(without, 4U)
      << "the mixed machine, and the three profiles that docs/reference/hardware.md is the evidence for";
}

// What differs is what the publisher of a capture masked: names of units, part numbers, PCI numbers.
TEST(Evidence, ProfilesAgreeWithTheirCaptures) {
  constexpr std::string_view masked[] = {"pci.device_id", "pci.subsystem_id", "identity.serial",
                                         "identity.gpu_part_number", "identity.inforom_image_version"};
  for (const auto& [name, agreement] : committed()) {
    EXPECT_GE(agreement.compared, 60U) << name;
    EXPECT_GE(static_cast<double>(agreement.equal), 0.96 * static_cast<double>(agreement.compared)) << name;
    for (const auto& field : agreement.differing)
      EXPECT_NE(std::ranges::find(masked, field), std::end(masked)) << name << ": " << field;
  }
}

TEST(Evidence, ThePageTellsWhatIsAssumed) {
  const auto profiles = evidence::shipped_profiles();
  ASSERT_TRUE(profiles) << profiles.error();
  const auto page = evidence::page_of(*profiles, committed(), "");
  EXPECT_NE(page.find("\n### b200\n"), std::string::npos);
  EXPECT_NE(page.find("| [`dgx-h100`](#dgx-h100) |"), std::string::npos);
  EXPECT_NE(page.find("`nvlink.links`"), std::string::npos);
  EXPECT_EQ(page.find(source_folder().string() + "/"), std::string::npos) << "a path of this machine";
}

}  // namespace
}  // namespace nvmlab::test
