// SPDX-License-Identifier: Apache-2.0
// The runner on small files of its own: that it fails where it should is what makes the scenarios worth something.
#include "tests/scenarios/runner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/support/files.hpp"

namespace nvmlab::scenario {
namespace {

using test::read_file;

class Scenarios : public testing::Test {
 protected:
  Report run_text(const std::string& text, const RunOptions& options = {}) const {
    EXPECT_TRUE(test::write_file(file_, text));
    return run(file_, options);
  }
  static bool has(const Report& report, const std::string& part) { return report.text.find(part) != std::string::npos; }

  test::TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "some.test";
};

TEST_F(Scenarios, WhatHoldsPasses) {
  const Report report = run_text("# Says hello.\n$ echo hello; echo to you >&2; exit 3\nhello\nto ...\n[3]\n$ true\n");
  EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
  EXPECT_EQ(report.text, "");
}

TEST_F(Scenarios, AnotherLineFailsWithItsPlaceBothSidesAndTheRemedy) {
  const Report report = run_text("$ true\n$ echo one; echo two\none\nthree\n");
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_TRUE(has(report, file_.string() + ":2: echo one; echo two\n")) << report.text;
  EXPECT_TRUE(has(report, "      one\n    - three\n    + two\n")) << report.text;
  EXPECT_TRUE(has(report, "NVMLAB_APPROVE=1")) << report.text;
}

TEST_F(Scenarios, EveryOtherDifferenceFailsToo) {
  EXPECT_EQ(run_text("$ echo one\n").verdict, Verdict::failed) << "it prints, and nothing is expected";
  EXPECT_EQ(run_text("$ true\none\n").verdict, Verdict::failed) << "it prints nothing";
  EXPECT_EQ(run_text("$ echo one; echo two\none\n").verdict, Verdict::failed) << "it prints more";
  EXPECT_EQ(run_text("$ false\n").verdict, Verdict::failed);
  EXPECT_EQ(run_text("$ true\n[1]\n").verdict, Verdict::failed);
  EXPECT_EQ(run_text("$ no-such-command-at-all\n").verdict, Verdict::failed);
  EXPECT_TRUE(has(run_text("$ exit 4\n[5]\n"), "ended with exit code 4; 5 was expected"));
}

TEST_F(Scenarios, AFailureHidesNoLaterOne) {
  const Report report = run_text("$ false\n$ true\n$ false\n");
  EXPECT_TRUE(has(report, ":1: false")) << report.text;
  EXPECT_FALSE(has(report, ":2: "));
  EXPECT_TRUE(has(report, ":3: false"));
}

TEST_F(Scenarios, AFileThatIsNoneFails) {
  const Report report = run_text("hello\n");
  EXPECT_EQ(report.verdict, Verdict::failed);
  EXPECT_TRUE(has(report, file_.string() + ":1: a comment")) << report.text;
  EXPECT_EQ(run(folder_.path() / "none.test", {}).verdict, Verdict::failed);
}

TEST_F(Scenarios, ACommandThatDoesNotEndIsKilled) {
  Report report;
  std::chrono::milliseconds limit{100};
  // The limit is long enough when the command has printed.
  for (; !has(report, "has begun"); limit *= 2) {
    report = run_text("$ echo 'has' begun; tail -f /dev/null\nnothing\n", {.time_limit = limit});
    ASSERT_EQ(report.verdict, Verdict::failed);
    EXPECT_TRUE(has(report, fmt::format("did not end within {} ms", limit.count()))) << report.text;
  }
}

TEST_F(Scenarios, StepsShareAFolderAndNothingElse) {
  const Report report = run_text(
      "$ echo kept > file; cd /; export MARK=1\n"
      "$ cat file; echo \"${MARK-none} $NVMLAB_MACHINE ${LD_LIBRARY_PATH-none}\"\nkept\nnone  none\n");
  EXPECT_EQ(report.verdict, Verdict::passed) << report.text;
}

TEST_F(Scenarios, NothingIsLeftBehind) {
  const auto place = folder_.path() / "place";
  ASSERT_EQ(
      run_text(fmt::format("$ pwd > {}; tail -f /dev/null & echo $! >> {}\n$ false\n", place.string(), place.string()))
          .verdict,
      Verdict::failed);
  const auto text = read_file(place);
  ASSERT_TRUE(text);
  const std::string work = text->substr(0, text->find('\n'));
  EXPECT_FALSE(std::filesystem::exists(work)) << work;
  const std::string process = text->substr(work.size() + 1, text->size() - work.size() - 2);
  const auto state = read_file("/proc/" + process + "/stat");
  EXPECT_TRUE(!state || state->find(") Z ") != std::string::npos) << "the process in the background still runs";
}

TEST_F(Scenarios, WithoutWhatItNeedsItIsSkippedOrFails) {
  const std::string text = "needs: no-such-client-1\n$ false\n";
  const Report skipped = run_text(text);
  EXPECT_EQ(skipped.verdict, Verdict::skipped);
  EXPECT_TRUE(has(skipped, "no-such-client-1 is not there: `scripts/fetch-clients no-such-client-1` gets it"))
      << skipped.text;
  EXPECT_EQ(run_text(text, {.need_all = true}).verdict, Verdict::failed);
}

TEST_F(Scenarios, ApprovingRewritesWhatChangedAndNothingElse) {
  const std::string text =
      "# Kept.\n$ echo pid $$; echo limit 300\npid ...\nlimit 700\n\n# Kept too.\n$ echo new; exit 2\n$ echo "
      "same\ns...\n";
  const RunOptions approve{.approve = true};
  const Report report = run_text(text, approve);
  EXPECT_EQ(report.verdict, Verdict::rewritten) << report.text;
  EXPECT_EQ(read_file(file_),
            "# Kept.\n$ echo pid $$; echo limit 300\npid ...\nlimit 300\n\n# Kept too.\n$ echo new; exit 2\nnew\n[2]\n"
            "$ echo same\ns...\n");
  EXPECT_EQ(run(file_, {}).verdict, Verdict::passed) << "what was approved holds";
  EXPECT_EQ(run(file_, approve).verdict, Verdict::passed) << "and is not written again";
}

TEST_F(Scenarios, WhatDidNotEndIsNotApproved) {
  const std::string text = "$ tail -f /dev/null\n";
  EXPECT_EQ(run_text(text, {.approve = true, .time_limit = std::chrono::milliseconds(300)}).verdict, Verdict::failed);
  EXPECT_EQ(read_file(file_), text);
}

}  // namespace
}  // namespace nvmlab::scenario
