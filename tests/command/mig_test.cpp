// SPDX-License-Identifier: Apache-2.0
// nvmlab up --mig: GPUs that come up in parts.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class UpMig : public Cli {
 protected:
  json instances(const std::string& gpu) const {
    return json::parse(good({"get", "--gpu", gpu, "--json", "instances.gpu_instances"}));
  }
  std::size_t count(const std::string& gpu) const {
    const auto text = instances(gpu).dump();
    std::size_t found = 0;
    for (auto at = text.find("profile_id"); at != std::string::npos; at = text.find("profile_id", at + 1))
      ++found;
    return found;
  }
};

TEST_F(UpMig, CutsEveryGpuOrOne) {
  environment_["NVMLAB_MACHINE"] = "h";
  good({"up", "h", "--profile", "dgx-h100", "--gpus", "2", "--mig", "3g.40gb,2g.20gb"});
  EXPECT_EQ(count("0"), 2U);
  EXPECT_EQ(count("1"), 2U);
  good({"down", "h"});
  good({"up", "h", "--profile", "dgx-h100", "--gpus", "2", "--mig", "1:3g.40gb,3g.40gb"});
  EXPECT_EQ(count("0"), 0U);
  EXPECT_EQ(count("1"), 2U);
  EXPECT_EQ(good({"get", "--gpu", "0", "modes.mig"}), "disabled\n");
}

// Its capture is of a guest, where the driver resets no GPU.
TEST_F(UpMig, ResetsAGpuThatNeedsIt) {
  environment_["NVMLAB_MACHINE"] = "a";
  good({"up", "a", "--profile", "dgx-a100", "--gpus", "1", "--mig", "1g.5gb,1g.5gb+me"});
  EXPECT_EQ(count("0"), 2U);
}

TEST_F(UpMig, RefusesWhatDoesNotFitAndLeavesNothing) {
  const auto too_much = nvmlab({"up", "h", "--profile", "dgx-h100", "--mig", "0:4g.40gb,4g.40gb"});
  EXPECT_NE(too_much.exit_code, 0);
  EXPECT_THAT(too_much.err, HasSubstr("GPU 0 has no room for 4g.40gb beside the 1 before it"));
  const auto unknown = nvmlab({"up", "h", "--profile", "dgx-h100", "--mig", "3g.4gb"});
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 3g.40gb?"));
  EXPECT_THAT(nvmlab({"up", "h", "--profile", "dgx-h100", "--mig", "x:1g.10gb"}).err, HasSubstr("--mig takes"));
  EXPECT_THAT(nvmlab({"up", "h", "--profile", "dgx-h100", "--mig", "9:1g.10gb"}).err, HasSubstr("9"));
  EXPECT_THAT(nvmlab({"up", "h", "--profile", "g4dn-xlarge", "--mig", "1g.10gb"}).err, HasSubstr("has no MIG"));
  good({"up", "h", "--profile", "dgx-h100"});  // the name is free
}

}  // namespace
}  // namespace nvmlab::test
