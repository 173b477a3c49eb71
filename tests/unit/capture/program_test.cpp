// SPDX-License-Identifier: Apache-2.0
//
// capture-leaves as a person runs it: exit codes and messages.
#include <gtest/gtest.h>

#include <string>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

constexpr std::string_view capture = "<nvidia_smi_log><gpu id=\"1\"><a>1</a><b>2</b></gpu></nvidia_smi_log>\n";

Outcome capture_leaves(std::vector<std::string> arguments) {
  Command command;
  command.arguments = {(binary_folder() / "tests" / "capture-leaves").string()};
  command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
  return run(command);
}

TEST(CaptureLeaves, TableAndCaptureCompareEqual) {
  const TempFolder folder;
  const auto xml = (folder.path() / "c.xml").string();
  const auto tsv = (folder.path() / "c.tsv").string();
  write_file(xml, capture);
  const auto table = capture_leaves({"table", xml, "--board", "b", "--source", "s"});
  ASSERT_TRUE(table.ok()) << table.story();
  EXPECT_NE(table.out.find("\n0\ta\t1\n"), std::string::npos) << table.out;
  write_file(tsv, table.out);
  const auto compared = capture_leaves({"compare", tsv, xml, "--at-least", "100"});
  EXPECT_TRUE(compared.ok()) << compared.story();
  EXPECT_NE(compared.out.find("agreement: 100.00 % (3 of 3"), std::string::npos) << compared.out;
}

TEST(CaptureLeaves, TooLittleAgreementHasItsOwnExitCode) {
  const TempFolder folder;
  const auto one = (folder.path() / "1.xml").string();
  const auto two = (folder.path() / "2.xml").string();
  write_file(one, capture);
  write_file(two, "<nvidia_smi_log><gpu id=\"1\"><a>1</a><b>3</b></gpu></nvidia_smi_log>\n");
  EXPECT_EQ(capture_leaves({"compare", one, two}).exit_code, 0);
  const auto compared = capture_leaves({"compare", one, two, "--at-least", "95"});
  EXPECT_EQ(compared.exit_code, 3);
  EXPECT_NE(compared.out.find("b  expected '2'  actual '3'"), std::string::npos) << compared.out;
}

TEST(CaptureLeaves, BadInputIsNamed) {
  const TempFolder folder;
  const auto file = (folder.path() / "bad.xml").string();
  write_file(file, "<nvidia_smi_log>\n<a>\n");
  const auto outcome = capture_leaves({"compare", file, file});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(outcome.err.starts_with(file + ":")) << outcome.err;
  EXPECT_EQ(capture_leaves({"compare", "/nonexistent", file}).exit_code, 1);
}

}  // namespace
}  // namespace nvmlab::test
