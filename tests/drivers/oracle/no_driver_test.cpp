// SPDX-License-Identifier: Apache-2.0
//
// Our library without a driver answers as NVIDIA's do: compared with the answers that are kept, of every driver, and
// with the libraries themselves where they have been fetched.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/drivers/oracle/agreement.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::oracle {
namespace {

const Table& table() {
  static const auto read = read_table(test::source_folder() / "tests/drivers/oracle");
  EXPECT_TRUE(read) << read.error();
  static const Table none;
  return read ? *read : none;
}

// Asked once for all tests of this program.
const Observations& ours_as(const std::string& version) {
  static std::map<std::string, Observations> all;
  if (!all.contains(version)) {
    auto found = observe_ours(version);
    EXPECT_TRUE(found) << found.error();
    if (found) all[version] = std::move(*found);
  }
  return all[version];
}

std::string first_of(const std::vector<std::string>& differences) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(differences.size(), 20); ++i)
    text += differences[i] + "\n";
  return text;
}

TEST(NoDriver, TheTablesHoldWhatWasMeasured) {
  ASSERT_GE(table().size(), 10U);
  for (const char* version : {"470.256.02", "525.147.05", "535.261.03", "550.163.01", "555.58.02"}) {
    ASSERT_TRUE(table().contains(version)) << version;
    EXPECT_GT(table().at(version).rows.size(), 240U) << version;
  }
  const auto& newest = table().at("555.58.02");
  const Answer* init = newest.find("nvmlInit_v2", {"after_init_v2", "good"});
  ASSERT_NE(init, nullptr);
  EXPECT_EQ(init->code, "9");
  EXPECT_EQ(newest.find("nvmlDeviceGetName", {"before_init", "zeros"})->code, "1");
  EXPECT_EQ(newest.find("nvmlDeviceGetNothing", {"before_init", "zeros"}), nullptr);
}

// Writing and reading a table changes nothing, whatever the answers are.
TEST(NoDriver, ATableIsReadAsItWasWritten) {
  const test::TempFolder folder;
  test::write_file(folder.path() / "no_driver.tsv", calls_text(table()));
  test::write_file(folder.path() / "error_strings.tsv", error_strings_text(table()));
  const auto again = read_table(folder.path());
  ASSERT_TRUE(again) << again.error();
  EXPECT_EQ(calls_text(*again), calls_text(table()));
  EXPECT_EQ(error_strings_text(*again), error_strings_text(table()));

  Observations made_up;
  for (const char* lifecycle : {"a", "b", "c"}) {
    for (const char* kind : {"k", "l", "m"}) {
      const bool odd = kind[0] == 'l' || (kind[0] == 'm' && lifecycle[0] == 'b');
      made_up.calls["f"][{lifecycle, kind}] = {odd ? "7" : "1", kind[0] == 'l' ? "x[0-3]" : "-"};
    }
  }
  const DriverFacts facts = compressed(made_up);
  EXPECT_EQ(facts.rows.size(), 3U);
  for (const auto& [situation, answer] : made_up.calls["f"]) {
    ASSERT_NE(facts.find("f", situation), nullptr);
    EXPECT_EQ(*facts.find("f", situation), answer) << situation.lifecycle << " " << situation.arguments;
  }
}

// A comparison that cannot fail would prove nothing.
TEST(NoDriver, ADifferenceIsFound) {
  auto ours = ours_as("550.163.01");
  const auto& real = table().at("550.163.01");
  const auto before = total(compare(real, ours));
  ours.calls["nvmlDeviceGetName"][{"after_init", "zeros"}].code = "2";
  ours.calls["nvmlDeviceGetCount_v2"][{"before_init", "good"}].touched = "deviceCount[0-3]";
  ours.calls.erase("nvmlEventSetFree");
  ours.calls["nvmlDeviceGetFuture"][{"before_init", "good"}].code = "1";
  ours.error_strings[7] = "Enough";
  const auto after = total(compare(real, ours));
  EXPECT_EQ(after.differences.size(), before.differences.size() + 5) << first_of(after.differences);
  EXPECT_LT(after.agreed, before.agreed - 2);
}

class OfDriver : public testing::TestWithParam<std::string> {};

TEST_P(OfDriver, OurLibraryAnswersAsItsOwn) {
  const auto version =
      std::ranges::find_if(table(), [](const auto& each) { return each.first.starts_with(GetParam()); });
  ASSERT_NE(version, table().end());
  const auto sum = total(compare(version->second, ours_as(version->first)));
  EXPECT_GT(sum.defined, 5000U);
  EXPECT_EQ(sum.agreed, sum.defined);
  EXPECT_EQ(first_of(sum.differences), "");
}

TEST_P(OfDriver, TheRealLibraryAnswersAsWasKept) {
  if (const auto why = why_not_here(); !why.empty()) GTEST_SKIP() << why;
  const auto name = "libnvidia-ml-" + GetParam();
  const auto library = test::find_client(name);
  // What the archive no longer has in its suites cannot be asked for in CI.
  if (!library && test::in_ci() && std::stoi(GetParam()) >= 470) FAIL() << library.error();
  if (!library) GTEST_SKIP() << library.error();
  if (!table().contains(library->version)) GTEST_SKIP() << "no answers of " << library->version << " are kept";
  const auto found = observe(library->program);
  ASSERT_TRUE(found) << found.error();
  Table measured;
  measured[library->version] = compressed(*found);
  Table kept;
  kept[library->version] = table().at(library->version);
  EXPECT_EQ(calls_text(measured), calls_text(kept));
  EXPECT_EQ(error_strings_text(measured), error_strings_text(kept));
}

INSTANTIATE_TEST_SUITE_P(All, OfDriver,
                         testing::Values("340", "390", "418", "450", "460", "470", "525", "535", "550", "555"),
                         [](const auto& each) { return "driver_" + each.param; });

TEST(NoDriver, TheReportIsCurrent) {
  std::map<std::string, Observations> ours;
  for (const auto& [version, facts] : table())
    ours[version] = ours_as(version);
  EXPECT_TRUE(test::read_file(report_file()) == report(table(), ours))
      << report_file() << " is not what no-driver-oracle report writes now; run it";
}

}  // namespace
}  // namespace nvmlab::oracle
