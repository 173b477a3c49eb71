// SPDX-License-Identifier: Apache-2.0
// Faults by name, the kernel module's lines, and the guide that lists them all.
#include "command/machine/faults.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "tests/support/files.hpp"
#include "command/machine/kernel_log.hpp"

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

TEST(XidLines, AreThoseOfTheKernelModule) {
  XidSubject gpu;
  gpu.address = {0, 0x3b, 0, 0};
  EXPECT_EQ(xid_line(79, gpu),
            "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.");
  gpu.gpu_instance = 5;
  gpu.compute_instance = 0;
  EXPECT_EQ(xid_line(43, gpu),
            "NVRM: Xid (PCI:0000:3b:00 GPU-I:05 GPU-CI:00): 43, pid='<unknown>', name=<unknown>, Ch 00000008");
  XidSubject board;
  board.address = {1, 0, 2, 0};
  board.action_before = kDrainAndReset;
  board.action_now = kResetGpu;
  EXPECT_EQ(xid_line(154, board),
            "NVRM: Xid (PCI:0001:00:02): 154, pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x4 "
            "(Drain and Reset) to 0x1 (GPU Reset Required)");
  EXPECT_NE(xid_line(63, board).find("New retired page"), std::string::npos);
  board.remaps_rows = true;
  EXPECT_NE(xid_line(63, board).find("New row marked for remapping"), std::string::npos);
}

}  // namespace
}  // namespace nvmlab::tool
