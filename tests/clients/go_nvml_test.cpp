// SPDX-License-Identifier: Apache-2.0
//
// The tests of NVIDIA's Go binding, as its authors wrote them for a machine with a GPU. The binding looks for the
// newest version of a function and takes the next older one where the library lacks it.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"

namespace nvmlab::test {
namespace {

TEST(GoNvml, PassesItsOwnTestsOnDriversFrom450On) {
  NVMLAB_REQUIRE_CLIENT(client, "go-nvml");
  for (const std::string profile :
       {"gtx-1080-rig", "v100s-server", "g5-xlarge", "dgx-a100", "dgx-h100", "g6e-xlarge"}) {
    const Outcome outcome = nvmlab({"run", "--profile", profile, "--", client.program.string()});
    EXPECT_TRUE(outcome.ok()) << profile << ": " << outcome.story();
    EXPECT_NE(outcome.out.find("PASS"), std::string::npos) << outcome.story();
  }
}

}  // namespace
}  // namespace nvmlab::test
