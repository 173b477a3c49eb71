// SPDX-License-Identifier: Apache-2.0
//
// scripts/client-suites, with a client that is made up: what it tells of tests that fail, abort and run out of time,
// and which results of an earlier run it takes.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/files.hpp"
#include "tests/support/process.hpp"

namespace nvmlab::test {
namespace {

class Suites : public testing::Test {
 protected:
  [[nodiscard]] Outcome script(const std::vector<std::string>& arguments) const {
    Command command;
    command.arguments = {(source_folder() / "scripts/client-suites").string()};
    command.arguments.insert(command.arguments.end(), arguments.begin(), arguments.end());
    command.environment = {{"NVMLAB_CLIENTS_DIR", (folder_.path() / "clients").string()},
                           {"NVMLAB_SUITES_DIR", (folder_.path() / "suites").string()}};
    return run(command);
  }
  // A client that is Python itself, with a module of tests.
  void make_client(const std::string& tests) const {
    const auto client = folder_.path() / "clients" / "numba-cuda";
    const auto packages = client / "lib/python3/site-packages/numba_cuda";
    write_file(client / "version", "1.0\n");
    write_file(client / "bin/python3", "#!/bin/sh\nPYTHONPATH='" + packages.string() + "' exec python3 \"$@\"\n");
    std::filesystem::permissions(client / "bin/python3", std::filesystem::perms::owner_all);
    write_file(packages / "numba/cuda/tests/core/test_made_up.py", tests);
  }
  [[nodiscard]] Outcome run_suite(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments{"--build",    binary_folder().string(),
                                       "--results",  (folder_.path() / "results").string(),
                                       "--suite",    "numba-cuda",
                                       "--only",     "made_up",
                                       "--patience", "0"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return script(arguments);
  }

  TempFolder folder_;
};

// Tests that pass, fail, skip and abort: what comes behind the abort is run all the same.
TEST_F(Suites, TellCrashesAndFailuresWithoutAReason) {
  make_client(R"(
import os
import unittest


class Tests(unittest.TestCase):
    def test_a(self):
        pass

    def test_b(self):
        os.abort()

    def test_c(self):
        self.assertEqual(1, 2)

    @unittest.skip("as it likes")
    def test_d(self):
        pass
)");
  const auto outcome = run_suite();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
  EXPECT_NE(outcome.out.find("core.test_made_up: 1 crashed, 1 failed, 1 passed, 1 skipped"), std::string::npos)
      << outcome.story();
  EXPECT_NE(outcome.err.find("core.test_made_up.Tests.test_b crashed: exit code -6"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("core.test_made_up.Tests.test_c failed, and no reason is known: AssertionError: 1 != 2"),
            std::string::npos)
      << outcome.err;
}

// One whose own limit of time was too short with other work beside it is run once more, alone, and counted; what ended
// is not.
TEST_F(Suites, RunWhatRanOutOfTimeASecondTime) {
  make_client(R"(
import pathlib
import unittest

RUNS = pathlib.Path(__file__).with_suffix(".runs")


class Tests(unittest.TestCase):
    def run_of(self, name):
        with open(RUNS, "a") as out:
            print(name, file=out)
        return RUNS.read_text().split().count(name)

    def test_a(self):
        self.run_of("a")

    def test_b(self):
        if self.run_of("b") == 1:
            raise TimeoutError

    def test_c(self):
        self.run_of("c")
        raise TimeoutError("always")
)");
  const auto outcome = run_suite();
  EXPECT_NE(outcome.out.find("core.test_made_up: 2 failed, 1 passed\n"), std::string::npos) << outcome.story();
  EXPECT_NE(outcome.out.find("core.test_made_up, a second time: 1 failed, 2 passed\n"), std::string::npos)
      << outcome.story();
  EXPECT_NE(outcome.out.find("2 of them ran out of time, with other work beside them, and were run a second time."),
            std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.err.find("test_c failed, and no reason is known: TimeoutError: always"), std::string::npos)
      << outcome.err;
  EXPECT_EQ(
      read_file(folder_.path() /
                "clients/numba-cuda/lib/python3/site-packages/numba_cuda/numba/cuda/tests/core/test_made_up.runs"),
      "a\nb\nc\nb\nc\n");
  const auto on = run_suite({"--go-on"});
  EXPECT_EQ(on.out.find("a second time:"), std::string::npos) << on.story();
  EXPECT_NE(on.out.find("2 of them ran out of time"), std::string::npos) << on.story();
}

TEST_F(Suites, GoOnWithTheSameBuildAlone) {
  make_client("import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_a(self):\n        pass\n");
  ASSERT_NE(run_suite().out.find("core.test_made_up: 1 passed"), std::string::npos);
  write_file(folder_.path() / "results/numba-cuda/build", "0123456789abcdef");
  const auto outcome = run_suite({"--go-on"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
  EXPECT_NE(outcome.err.find("has results of another build than "), std::string::npos) << outcome.err;
}

// A test that hung, and was then put into numba-cuda_left_out.tsv.
TEST_F(Suites, ForgetWhatIsLeftOutByNow) {
  make_client("import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_a(self):\n        pass\n");
  ASSERT_TRUE(run_suite().ok());
  write_file(folder_.path() / "results/numba-cuda/numba.cuda.tests.core.test_made_up.ended",
             R"([["cudapy.test_localmem.TestCudaLocalMem.test_struct_model_type_arr", "hung", "no end", 2],
                 ["core.test_made_up.Tests.test_a", "passed", "", 1]])");
  const auto outcome = run_suite({"--go-on"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(outcome.out.find("1 tests: 1 passed"), std::string::npos) << outcome.out;
}

TEST_F(Suites, BeginNothingWhenTheirTimeIsUp) {
  make_client("import unittest\n\n\nclass Tests(unittest.TestCase):\n    def test_a(self):\n        pass\n");
  const auto outcome = run_suite({"--for", "0"});
  EXPECT_TRUE(outcome.ok()) << outcome.story();
  EXPECT_NE(outcome.out.find("0 of its 1 files were run, in the time that there was."), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("0 tests: 0 passed"), std::string::npos) << outcome.out;
}

TEST_F(Suites, ThatAreNotHereSayWhereTheyComeFrom) {
  const auto outcome = script({"--suite", "tinygrad", "--suite", "pycuda"});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.story();
  EXPECT_NE(outcome.err.find("tinygrad lacks: a clone of its repository in "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("pycuda lacks: scripts/fetch-clients pycuda"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace nvmlab::test
