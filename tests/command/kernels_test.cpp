// SPDX-License-Identifier: Apache-2.0
// nvmlab run --record-kernels and --kernels, nvmlab kernels: what a program launched is told, and need not be executed.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class KernelsCommand : public Cli {
 protected:
  std::string cuda_probe() const { return (binary_folder() / "tests/cuda-probe").string(); }
};

TEST_F(KernelsCommand, TellsWhatAProgramLaunched) {
  EXPECT_EQ(good({"run", "--record-kernels", file("launches"), "--", cuda_probe()}), "7\n");
  EXPECT_THAT(
      good({"kernels", file("launches")}),
      MatchesRegex("KERNEL +LAUNCHES +FAILED +TIME +INSTRUCTIONS *\nfill\\(unsigned int\\*, unsigned int\\) +2 +0 "
                   "+[0-9a-z]+ +[0-9]+ *\n"));
  const auto all = nlohmann::json::parse(good({"kernels", file("launches"), "--json"}));
  ASSERT_EQ(all.size(), 1U) << all;
  EXPECT_GE(all[0]["instructions"], 6 * 32 * (2 + 3)) << "six instructions, five blocks of 32 threads";
  const auto each = nlohmann::json::parse(good({"kernels", file("launches"), "--each", "--json"}));
  ASSERT_EQ(each.size(), 2U) << each;
  EXPECT_EQ(each[1]["grid"], nlohmann::json({3, 1, 1}));
  EXPECT_EQ(each[1]["block"], nlohmann::json({32, 1, 1}));
  EXPECT_EQ(each[1]["code"], 0);
  EXPECT_THAT(good({"kernels", file("launches"), "--each"}), HasSubstr("3 x 1 x 1"));
}

TEST_F(KernelsCommand, AKernelThatFailsIsTold) {
  const Outcome ran = nvmlab({"run", "--record-kernels", file("launches"), "--", cuda_probe(), "broken"});
  EXPECT_EQ(ran.exit_code, 1) << ran.story();
  EXPECT_THAT(good({"kernels", file("launches"), "--each"}), HasSubstr("error 719"));
}

TEST_F(KernelsCommand, SkippedOnesOnlyCount) {
  EXPECT_EQ(good({"run", "--kernels", "skip", "--record-kernels", file("launches"), "--", cuda_probe(), "broken"}),
            "0\n");
  const auto all = nlohmann::json::parse(good({"kernels", file("launches"), "--json"}));
  ASSERT_EQ(all.size(), 2U) << all;
  EXPECT_EQ(all[1]["launches"], 2);
  EXPECT_EQ(all[1]["instructions"], 0);
  EXPECT_EQ(good({"run", "--kernels", "run", "--", cuda_probe()}), "7\n");
  EXPECT_THAT(bad(2, {"run", "--kernels", "walk", "--", cuda_probe()}), HasSubstr("run or skip was expected"));
}

TEST_F(KernelsCommand, WhatIsNoRecordIsLeftAlone) {
  write_file(file("notes"), "mine\n");
  EXPECT_THAT(bad(1, {"run", "--record-kernels", file("notes"), "--", "true"}), HasSubstr("something else"));
  EXPECT_EQ(read_file(file("notes")).value_or(""), "mine\n");
  EXPECT_THAT(bad(1, {"kernels", file("notes")}), HasSubstr("notes:1: this is no launch"));
  EXPECT_THAT(bad(1, {"kernels", file("none")}), HasSubstr("No such file"));
  // A record may be begun anew.
  good({"run", "--record-kernels", file("launches"), "--", cuda_probe()});
  good({"run", "--record-kernels", file("launches"), "--", "true"});
  EXPECT_EQ(good({"kernels", file("launches"), "--json"}), "[]\n");
}

}  // namespace
}  // namespace nvmlab::test
