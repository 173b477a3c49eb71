// SPDX-License-Identifier: Apache-2.0
// nvmlab vgpu: GPUs become hosts, lend out vGPUs and get them back; what is refused says what would be right.
#include <nlohmann/json.hpp>

#include "tests/command/cli.hpp"
#include "tests/command/matchers.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

class VgpuCommand : public Cli {
 protected:
  void SetUp() override {
    good({"up", "v", "--profile", "hgx-a100-4gpu", "--clock", "virtual", "--seed", "7"});
    environment_["NVMLAB_MACHINE"] = "v";
  }
  std::string added(const std::vector<std::string>& words) const {
    std::vector<std::string> all{"vgpu", "add"};
    all.insert(all.end(), words.begin(), words.end());
    std::string id = good(all);
    id.pop_back();
    return id;
  }
};

TEST_F(VgpuCommand, AGpuBecomesAHostAndLendsOut) {
  EXPECT_EQ(good({"vgpu", "types"}), "these GPUs lend out no vGPUs\n");
  EXPECT_EQ(good({"vgpu"}), "no vGPU runs on these GPUs\n");
  good({"vgpu", "host", "--gpu", "0-1"});
  EXPECT_EQ(good({"get", "--gpu", "0", "modes.virtualization"}), "host_vgpu\n");
  EXPECT_THAT(good({"vgpu", "types", "--gpu", "1"}), HasSubstr("GRID A100DX-8C"));
  const std::string id = added({"--gpu", "1", "--type", "8C", "--vm", "7", "--memory", "1GiB"});
  EXPECT_THAT(good({"vgpu", "ls"}), HasSubstr("1  " + id + "  GRID A100DX-8C   7  1024 MiB      0"));
  const auto rows = json::parse(good({"vgpu", "types", "--gpu", "1", "--json"}));
  for (const auto& row : rows) {
    const std::string name = row["name"];
    EXPECT_EQ(row["creatable"], name == "GRID A100DX-8C" ? 9 : 0) << name;
  }
  EXPECT_THAT(good({"log"}), HasSubstr("create-vgpu"));
  good({"vgpu", "rm", "--id", id});
  EXPECT_EQ(good({"vgpu", "ls", "--json"}), "[]\n");
}

TEST_F(VgpuCommand, ARefusalSaysWhatWouldBeRight) {
  const auto said = [&](const std::vector<std::string>& words, int code) { return bad(code, words); };
  EXPECT_THAT(said({"vgpu", "add", "--type", "8C"}, 2), HasSubstr("`nvmlab vgpu host --gpu 0` makes it a host"));
  good({"vgpu", "host"});
  EXPECT_THAT(said({"vgpu", "add", "--type", "9C"}, 2), HasSubstr("`nvmlab vgpu types --gpu 0` lists"));
  EXPECT_THAT(said({"vgpu", "add", "--type", "8C", "--memory", "9GiB"}, 2), HasSubstr("has 8192 MiB, not 9GiB"));
  EXPECT_THAT(said({"vgpu", "add", "--type", "8C", "--placement", "x"}, 2), HasSubstr("a number of GiB"));
  added({"--type", "8C"});
  EXPECT_THAT(said({"vgpu", "add", "--type", "10C"}, 1), HasSubstr("vGPUs of another size run there"));
  EXPECT_THAT(said({"vgpu", "host", "--off"}, 1), HasSubstr("`nvmlab vgpu rm --all` ends them"));
  EXPECT_THAT(said({"driver", "unload"}, 1), HasSubstr("GPU 0 lends out vGPUs"));
  EXPECT_THAT(said({"vgpu", "rm"}, 2), HasSubstr("--id, or --all"));
  EXPECT_THAT(said({"vgpu", "rm", "--id", "5"}, 1), HasSubstr("no vGPU 5 runs"));
  good({"vgpu", "rm", "--all"});
  good({"vgpu", "host", "--off"});
}

TEST_F(VgpuCommand, UpMakesAHostOrNothing) {
  good({"up", "h", "--profile", "g6e-xlarge", "--vgpu-host"});
  EXPECT_THAT(good({"vgpu", "types", "--machine", "h"}), HasSubstr("NVIDIA L40S-48Q"));
  EXPECT_THAT(bad(1, {"up", "x", "--profile", "rtx-3080-workstation", "--vgpu-host"}),
              HasSubstr("no vGPU types of its board are known"));
  EXPECT_THAT(good({"ls"}), Not(HasSubstr("rtx-3080")));
}

TEST_F(VgpuCommand, MemoryOfTheGpuFollows) {
  good({"vgpu", "host"});
  const auto used = [&] { return good({"get", "--gpu", "0", "memory.used_bytes"}); };
  const std::string before = used();
  const std::string id = added({"--type", "8C"});
  EXPECT_NE(used(), before);
  EXPECT_EQ(good({"get", "--gpu", "0", "processes.running[0].name"}), "vgpu\n");
  good({"set", "vgpu.instances[0].sm_percent=40"});
  EXPECT_EQ(good({"get", "--gpu", "0", "utilization.gpu_percent"}), "40\n");
  good({"vgpu", "rm", "--id", id});
  EXPECT_EQ(used(), before);
}

TEST_F(VgpuCommand, ACutGpuLendsOutItsInstances) {
  good({"up", "m", "--profile", "hgx-a100-4gpu", "--mig", "0:1g.10gb,2g.20gb", "--vgpu-host"});
  environment_["NVMLAB_MACHINE"] = "m";
  EXPECT_THAT(bad(1, {"vgpu", "add", "--type", "8C"}), HasSubstr("or it wants none and MIG is on"));
  added({"--type", "1-10C"});
  EXPECT_THAT(bad(1, {"vgpu", "add", "--type", "1-10C"}), HasSubstr("`nvidia-smi mig -cgi`"));
  added({"--type", "2-20C"});
}

TEST_F(VgpuCommand, TheSameSeedMakesTheSameUuids) {
  good({"vgpu", "host"});
  added({"--type", "20C"});
  good({"up", "w", "--profile", "hgx-a100-4gpu", "--clock", "virtual", "--seed", "7", "--vgpu-host"});
  good({"vgpu", "add", "--type", "20C", "--machine", "w"});
  const auto rows = json::parse(good({"vgpu", "--json"}));
  EXPECT_EQ(rows, json::parse(good({"vgpu", "--json", "--machine", "w"})));
}

}  // namespace
}  // namespace nvmlab::test
