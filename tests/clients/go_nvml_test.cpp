// SPDX-License-Identifier: Apache-2.0
//
// The tests of NVIDIA's Go binding, as its authors wrote them for a machine with a GPU. The binding looks for the
// newest version of a function and takes the next older one where the library lacks it.
#include <gtest/gtest.h>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

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

// Its tests of GPM sample the first GPU, and those of topology ask about each two.
TEST(GoNvml, PassesItsOwnTestsOnCutGpusAndOnAHostOfVgpus) {
  NVMLAB_REQUIRE_CLIENT(client, "go-nvml");
  const std::string host = (source_folder() / "tests/clients/profiles/vgpu-host.yaml").string();
  const std::pair<std::string, std::vector<std::string>> machines[] = {
      {"dgx-h100", {"--mig", "0:3g.40gb,2g.20gb,1g.10gb", "--mig", "1:1g.10gb"}},
      {"dgx-a100", {"--mig", "3g.20gb,3g.20gb"}},
      {host, {}}};
  for (const auto& [profile, options] : machines) {
    const UpAndDown machine(profile, options);
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    const Outcome outcome = machine.run_on(client, {"-test.v"}, "root");
    EXPECT_TRUE(outcome.ok()) << profile << ": " << outcome.story();
    EXPECT_NE(outcome.out.find("PASS"), std::string::npos) << outcome.story();
  }
}

}  // namespace
}  // namespace nvmlab::test
