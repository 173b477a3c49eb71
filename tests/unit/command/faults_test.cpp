// SPDX-License-Identifier: Apache-2.0
// Faults by name, and the guide that lists them all.
#include "command/machine/faults.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/support/files.hpp"

namespace nvmlab::tool {
namespace {

std::string guide() {
  std::ifstream in(test::source_folder() / "docs/guide/faults.md");
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Faults, NamesAreReadAsTheyAreWritten) {
  for (std::uint32_t i = 0; i < kFaultKinds; ++i) {
    const auto kind = static_cast<FaultKind>(i);
    const FaultRow& row = *find_fault(kind);
    const std::uint32_t number = row.number == FaultNumber::xid ? 94 : row.number == FaultNumber::none ? 0 : 2;
    std::istringstream text(describe(kind, number));
    const std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
    const auto read = read_fault(words);
    ASSERT_TRUE(read) << read.error();
    EXPECT_EQ(read->kind, kind);
    EXPECT_EQ(read->number, number);
  }
}

TEST(Faults, TheGuideListsEveryKind) {
  const std::string text = guide();
  for (std::uint32_t i = 0; i < kFaultKinds; ++i) {
    const FaultRow& row = *find_fault(static_cast<FaultKind>(i));
    const std::string_view number = number_word(row.number);
    const std::string name = fmt::format("\n| `{}{}{}` |", row.name, number.empty() ? "" : " ", number);
    EXPECT_NE(text.find(name), std::string::npos) << name << " is missing in docs/guide/faults.md";
  }
}

// A row of the guide for each family, with the numbers of the catalogue; those of applications are the rest.
TEST(Faults, TheGuideListsEveryXidThatDoesMoreThanRaiseAnEvent) {
  const std::string text = guide();
  std::map<XidFamily, std::string> numbers;
  for (const XidRow& xid : xid_rows()) {
    if (xid.family == XidFamily::application) continue;
    std::string& all = numbers[xid.family];
    all += fmt::format("{}{}", all.empty() ? "" : ", ", xid.number);
  }
  for (const auto& [family, all] : numbers)
    EXPECT_NE(text.find("\n| " + all + " |"), std::string::npos)
        << "a row '| " << all << " |' is missing in docs/guide/faults.md";
}

}  // namespace
}  // namespace nvmlab::tool
