// SPDX-License-Identifier: Apache-2.0
// nvmlab run --cudart: where programs find the runtime.
#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

class RunCudart : public Cli {};

TEST_F(RunCudart, IsFoundFirst) {
  environment_["LD_LIBRARY_PATH"] = "/some/where";
  const std::string lib = (binary_folder() / "lib").string();
  const std::string show = "echo $LD_LIBRARY_PATH; echo $LD_PRELOAD";
  const std::string out = good({"run", "--cudart", "12", "--", "sh", "-c", show});
  EXPECT_EQ(out, lib + "/cudart/12:" + lib + "/drivers/570:/some/where\n" + lib + "/cudart/12/libcudart.so.12\n");
  environment_["LD_PRELOAD"] = "";
  EXPECT_EQ(good({"run", "--", "sh", "-c", "echo \"<$LD_PRELOAD>\""}), "<>\n") << "nobody gets it unasked";
}

TEST_F(RunCudart, SaysThatADriverIsTooOld) {
  const Outcome old = nvmlab({"run", "--cudart", "13", "--", "true"});
  EXPECT_EQ(old.exit_code, 0);
  EXPECT_THAT(old.err, HasSubstr("driver 570.148.08 is older than CUDA 13, so its programs say that the driver is "
                                 "insufficient (35); --driver 580 is new enough"));
  EXPECT_EQ(nvmlab({"run", "--cudart", "13", "--driver", "580", "--", "true"}).err, "");
  EXPECT_EQ(nvmlab({"run", "--cudart", "12", "--", "true"}).err, "");
}

TEST_F(RunCudart, OtherReleasesAreRefused) {
  EXPECT_THAT(bad(2, {"run", "--cudart", "11", "--", "true"}), HasSubstr("12 or 13 was expected"));
  EXPECT_THAT(bad(2, {"run", "--cudart", "12.4", "--", "true"}), HasSubstr("12 or 13 was expected"));
}

}  // namespace
}  // namespace nvmlab::test
