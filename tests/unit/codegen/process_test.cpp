// SPDX-License-Identifier: Apache-2.0
#include "codegen/io/process.hpp"

#include <gtest/gtest.h>

namespace nvmlab::codegen {
namespace {

TEST(Process, KeepsStreamsAndExitCodeApart) {
  const auto done = run_program({"sh", "-c", "echo out; echo err >&2; exit 3"});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out, "out\n");
  EXPECT_EQ(done->err, "err\n");
  EXPECT_EQ(done->exit_code, 3);
}

TEST(Process, NeedsNoQuotes) { EXPECT_EQ(run_program({"printf", "%s|", "a b", "$HOME", "'"})->out, "a b|$HOME|'|"); }

TEST(Process, ReadsMoreThanAPipeHolds) {
  const auto done = run_program({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero"});
  ASSERT_TRUE(done);
  EXPECT_EQ(done->out.size(), 300000U);
  EXPECT_EQ(done->err.size(), 300000U);
}

TEST(Process, InputIsEmpty) { EXPECT_EQ(run_program({"cat"})->out, ""); }

TEST(Process, TellsASignal) { EXPECT_EQ(run_program({"sh", "-c", "kill -9 $$"})->exit_code, 137); }

TEST(Process, CannotRunWhatIsNotThere) {
  const auto done = run_program({"nvmlgen-no-such-program"});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("nvmlgen-no-such-program cannot be run"), std::string::npos);
  EXPECT_FALSE(run_program({}));
}

TEST(Process, KnowsThePath) {
  EXPECT_TRUE(in_path("sh"));
  EXPECT_FALSE(in_path("nvmlgen-no-such-program"));
}

}  // namespace
}  // namespace nvmlab::codegen
