// SPDX-License-Identifier: Apache-2.0
// nvmlab driver: what it says, what it refuses, and what a program on the machine sees of it.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class DriverCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "h", "--profile", "t4", "--gpus", "3"});
    environment_["NVMLAB_MACHINE"] = "h";
    good({"set", "modes.persistence=disabled"});
  }
};

TEST_F(DriverCommand, IsShown) {
  EXPECT_THAT(good({"driver"}), MatchesRegex("version +[0-9.]+\ndriver +loaded\nnvmlInit +answers SUCCESS\n"));
  good({"driver", "unload"});
  EXPECT_THAT(good({"driver"}), HasSubstr("not loaded\nnvmlInit  answers DRIVER_NOT_LOADED\n"));
  const json shown = json::parse(good({"driver", "load", "--json"}));
  EXPECT_EQ(shown["loaded"], true);
  EXPECT_EQ(shown["init"], "SUCCESS");
  EXPECT_EQ(shown["loads"], 1);
}

TEST_F(DriverCommand, UnloadingAndLoadingAreSeenEverywhere) {
  good({"driver", "unload"});
  EXPECT_THAT(nvmlab({"set", "--gpu", "0", "thermal.gpu_c=80"}).err, HasSubstr("`nvmlab driver load`"));
  EXPECT_THAT(good({"status"}), HasSubstr("which is not loaded"));
  EXPECT_EQ(json::parse(good({"status", "--json"}))["gpus_removed"], 3);
  EXPECT_THAT(bad(1, {"driver", "unload"}), HasSubstr("is not loaded"));
  good({"driver", "load"});
  EXPECT_THAT(bad(1, {"driver", "load"}), HasSubstr("is loaded already"));
  EXPECT_EQ(json::parse(good({"status", "--json"}))["gpus_removed"], 0);
  EXPECT_THAT(good({"log"}), HasSubstr("machine  unload-driver forced=0\n"));
  EXPECT_THAT(good({"log"}), HasSubstr("machine  load-driver\n"));
}

TEST_F(DriverCommand, ADriverInUseIsNotUnloaded) {
  good({"ps", "add", "--gpu", "1", "--pid", "4242"});
  good({"set", "--gpu", "2", "modes.persistence=enabled"});
  const std::string refused = bad(1, {"driver", "reload"});
  EXPECT_THAT(refused, HasSubstr("GPU 1 runs 1 processes, GPU 2 has persistence mode on; --force"));
  good({"driver", "reload", "--force"});
  EXPECT_THAT(good({"ps", "ls", "--json"}), Not(HasSubstr("4242")));
  EXPECT_THAT(good({"get", "--gpu", "2", "modes.persistence"}), HasSubstr("disabled"));
}

TEST_F(DriverCommand, InitIsMadeToFail) {
  good({"driver", "fail", "LIB_RM_VERSION_MISMATCH"});
  EXPECT_EQ(json::parse(good({"driver", "--json"}))["init"], "LIB_RM_VERSION_MISMATCH");
  EXPECT_THAT(good({"log"}), HasSubstr("fail-init code=LIB_RM_VERSION_MISMATCH\n"));
  good({"driver", "heal"});
  EXPECT_EQ(json::parse(good({"driver", "--json"}))["init"], "SUCCESS");
}

TEST_F(DriverCommand, RefusesWhatIsNoAction) {
  EXPECT_THAT(bad(2, {"driver", "relaod"}), HasSubstr("'relaod' for a driver; did you mean 'reload'"));
  EXPECT_THAT(bad(2, {"driver", "fail"}), HasSubstr("the code that nvmlInit is to answer"));
  EXPECT_THAT(bad(2, {"driver", "fail", "TROUBLE"}), HasSubstr("TROUBLE"));
  EXPECT_THAT(bad(2, {"driver", "load", "now"}), HasSubstr("load takes no word"));
}

}  // namespace
}  // namespace nvmlab::test
