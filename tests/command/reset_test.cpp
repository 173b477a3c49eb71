// SPDX-License-Identifier: Apache-2.0
// nvmlab reset.
#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using Reset = Cli;

TEST_F(Reset, BringsIntoForceWhatWaits) {
  good({"up", "--profile", "dgx-h100", "--gpus", "2"});
  good({"set", "modes.persistence=disabled", "ecc.mode_pending=disabled", "ecc.remap_pending=yes",
        "ecc.uncorrected_volatile.dram=2", "ecc.uncorrected_aggregate.dram=2", "clocks.locked_graphics_max_mhz=900"});
  EXPECT_EQ(good({"reset", "--gpu", "1"}), "");
  EXPECT_EQ(good({"get", "--gpu", "0", "ecc.mode"}), "enabled\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "ecc.mode"}), "disabled\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "ecc.remap_pending"}), "no\n");
  EXPECT_EQ(good({"get", "--gpu", "1", "clocks.locked_graphics_max_mhz"}), "not supported\n");
  EXPECT_THAT(good({"log"}), HasSubstr("GPU 1  reset-gpu"));
}

TEST_F(Reset, NoneWhereOneIsHeld) {
  good({"up", "--profile", "dgx-h100", "--gpus", "3"});
  good({"set", "modes.persistence=disabled", "ecc.remap_pending=yes"});
  good({"ps", "add", "--gpu", "1", "--pid", "2147483647"});
  good({"set", "--gpu", "2", "modes.persistence=enabled"});
  const auto outcome = nvmlab({"reset"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_EQ(outcome.err,
            "nvmlab: GPU 1: processes hold it; `nvmlab ps --gpu 1` lists them\n"
            "nvmlab: GPU 2: persistence mode holds it; `nvmlab set --gpu 2 modes.persistence=disabled`\n"
            "nvmlab: no GPU was reset\n");
  EXPECT_EQ(good({"get", "--gpu", "0", "ecc.remap_pending"}), "yes\n");
  EXPECT_THAT(bad(1, {"reset", "--gpu", "9"}), HasSubstr("no GPU 9"));
  EXPECT_THAT(bad(1, {"reset", "--machine", "gone"}), HasSubstr("no machine 'gone' is up"));
}

}  // namespace
}  // namespace nvmlab::test
