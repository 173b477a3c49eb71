// SPDX-License-Identifier: Apache-2.0
// What nvtop asks of NVML, ported to the binding (examples/nvtop): its snapshot is nvtop's own, byte for byte.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <regex>

#include "tests/clients/shared_machine.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::test {
namespace {

Client port() { return {"port", binary_folder() / "examples" / "nvtop", ""}; }

std::string without_shares_of_memory(const std::string& snapshot) {
  return std::regex_replace(snapshot, std::regex("\"mem_util\": \"[0-9]+%\""), "");
}

class NvtopPortOn : public testing::TestWithParam<const char*> {
 protected:
  void compare(const std::vector<std::string>& options, bool with_shares_of_memory) const {
    NVMLAB_REQUIRE_CLIENT(nvtop, "nvtop-3.2");
    std::vector<std::string> all{"--clock", "frozen"};
    all.insert(all.end(), options.begin(), options.end());
    const UpAndDown machine(GetParam(), all);
    ASSERT_TRUE(machine.up().ok()) << machine.up().story();
    const Outcome theirs = machine.run_on(nvtop, {"--snapshot"});
    const Outcome ours = machine.run_on(port(), {});
    ASSERT_TRUE(theirs.ok() && ours.ok()) << theirs.story() << ours.story();
    EXPECT_NE(theirs.out.find("device_name"), std::string::npos) << theirs.out;
    if (with_shares_of_memory) {
      EXPECT_EQ(ours.out, theirs.out);
    } else {
      EXPECT_EQ(without_shares_of_memory(ours.out), without_shares_of_memory(theirs.out));
    }
  }
};

TEST_P(NvtopPortOn, IsTheSameWithADriverThatHasOneCountOfMemory) { compare({"--driver", "470"}, true); }

// nvtop 3.2 asks the second version of nvmlDeviceGetMemoryInfo with a version word that no driver takes, and then the
// first, which counts what the driver reserves as used.
TEST_P(NvtopPortOn, CountsNoReservedMemoryAsUsedWithLaterDrivers) { compare({}, false); }

INSTANTIATE_TEST_SUITE_P(Machines, NvtopPortOn,
                         testing::Values("dgx-a100", "v100s-server", "gtx-1080-rig", "mixed", "dgx-h100"),
                         [](const auto& each) { return std::regex_replace(each.param, std::regex("-"), "_"); });

TEST(NvtopPort, ListsTheProcessesThatNvidiaSmiLists) {
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  const UpAndDown machine("v100s-server", {"--clock", "frozen", "--driver", "550"});
  const Outcome theirs = machine.run_on(smi, {"--query-compute-apps=pid,used_memory", "--format=csv,noheader,nounits"});
  const Outcome ours = machine.run_on(port(), {"--processes"});
  ASSERT_TRUE(theirs.ok() && ours.ok()) << theirs.story() << ours.story();
  // One process may be on several GPUs, so each list is compared as a whole, in the order of the GPUs.
  static const std::regex in_ours{
      "\"pid\": ([0-9]+), \"graphics\": false, \"sm_util\": [0-9]+, \"mem_used\": ([0-9]+)"};
  std::string listed;
  for (std::sregex_iterator each{ours.out.begin(), ours.out.end(), in_ours}, end; each != end; ++each)
    listed += fmt::format("{}, {}\n", (*each)[1].str(), std::stoull((*each)[2]) >> 20);
  EXPECT_FALSE(listed.empty());
  EXPECT_EQ(listed, theirs.out);
}

TEST(NvtopPort, LeavesOutAGpuThatIsLost) {
  NVMLAB_REQUIRE_CLIENT(nvtop, "nvtop-3.2");
  const UpAndDown machine("dgx-a100", {"--gpus", "3", "--clock", "frozen", "--driver", "470"});
  ASSERT_TRUE(nvmlab({"fault", "--machine", machine.name(), "--gpu", "1", "lost"}).ok());
  const Outcome theirs = machine.run_on(nvtop, {"--snapshot"});
  const Outcome ours = machine.run_on(port(), {});
  EXPECT_EQ(ours.out, theirs.out) << ours.story() << theirs.story();
}

}  // namespace
}  // namespace nvmlab::test
