// SPDX-License-Identifier: Apache-2.0
//
// What hands MIG devices out to containers, on a machine whose files are those of the host: NVIDIA's device plugin in
// both of its strategies, the labels of GPU feature discovery, and nvidia-ctk. nvidia-smi says which devices there are.
#include <gtest/gtest.h>

#include <regex>

#include "tests/clients/kubelet.hpp"

namespace nvmlab::test {
namespace {

using nlohmann::json;

// Two GPUs that are cut alike.
class MigContainers : public testing::Test {
 protected:
  struct MigDevice {
    std::string profile;  // "3g.40gb"
    std::string uuid;
  };

  // False where the files cannot be those of the host.
  bool bring_up(const std::string& layout) {
    machine = std::make_unique<UpAndDown>("dgx-h100", std::vector<std::string>{"--gpus", "2", "--mig", layout});
    EXPECT_TRUE(machine->up().ok()) << machine->up().story();
    return root.make("--machine=" + machine->name()) && can_mount_driver_root(root) && have_namespaces();
  }
  std::vector<MigDevice> devices(const Client& smi) const {
    const std::string list = machine->run_on(smi, {"-L"}).out;
    const std::regex line(R"(MIG (\S+) +Device +\d+: \(UUID: (MIG-[0-9a-f-]+)\))");
    std::vector<MigDevice> found;
    for (std::sregex_iterator each(list.begin(), list.end(), line), end; each != end; ++each)
      found.push_back({(*each)[1], (*each)[2]});
    return found;
  }
  Outcome run_there(const std::vector<std::string>& words, bool own_var) const {
    Command command;
    command.arguments = on_driver_root(root, words);
    if (own_var) command.arguments = in_own_var(command.arguments);
    command.environment = node_environment({});
    return run(command);
  }
  std::string on() const { return "--machine=" + machine->name(); }

  std::vector<Told> plug_in(const Client& kubelet, const Client& plugin, const std::string& strategy,
                            std::size_t resources) const {
    const Outcome outcome =
        run_there(kubelet_words(kubelet, plugin, on(), {"-allocate", "1", "-resources", std::to_string(resources)},
                                {"--mig-strategy=" + strategy, "--pass-device-specs"}),
                  true);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    return read_resources(outcome.out);
  }
  std::map<std::string, std::string> labels(const Client& discovery, const std::string& strategy) const {
    const TempFolder folder;
    const std::string file = folder.path() / "labels";
    const Outcome outcome =
        run_there({nvmlab_program().string(), "run", on(), "--", discovery.program.string(), "--oneshot",
                   "--no-timestamp", "--mig-strategy=" + strategy, "--output-file=" + file},
                  false);
    EXPECT_TRUE(outcome.ok()) << outcome.story();
    std::map<std::string, std::string> found;
    for (const std::string& line : lines(read_file(file).value_or("")))
      found[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    return found;
  }

  std::unique_ptr<UpAndDown> machine;
  DriverRoot root;
};

constexpr const char* kMixed = "3g.40gb,2g.20gb,1g.10gb";
constexpr const char* kAlike = "1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb,1g.10gb";

// A container gets the node of the GPU and those of the instance's capabilities.
void expect_handed_out(const Told& told, const DriverRoot& root) {
  ASSERT_EQ(told.preferred.size(), 1U) << told.resource;
  EXPECT_EQ(told.allocated.at("envs").value("NVIDIA_VISIBLE_DEVICES", ""), *told.preferred.begin());
  std::size_t capabilities = 0;
  for (const json& device : told.allocated.at("devices")) {
    const std::string path = device.at("host_path");
    EXPECT_TRUE(std::filesystem::exists(root.path() / path.substr(1))) << path;
    capabilities += path.starts_with("/dev/nvidia-caps/nvidia-cap") ? 1 : 0;
  }
  EXPECT_EQ(capabilities, 2U) << told.allocated;
}

TEST_F(MigContainers, ThePluginOffersEachKindInTheMixedStrategy) {
  NVMLAB_REQUIRE_CLIENT(plugin, "k8s-device-plugin");
  NVMLAB_REQUIRE_CLIENT(kubelet, "fake-kubelet");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  if (!bring_up(kMixed)) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";
  std::map<std::string, Health> expected;
  for (const MigDevice& each : devices(smi))
    expected["nvidia.com/mig-" + each.profile][each.uuid] = "Healthy";
  ASSERT_EQ(expected.size(), 3U);
  std::map<std::string, Health> offered;
  for (const Told& told : plug_in(kubelet, plugin, "mixed", expected.size())) {
    ASSERT_EQ(told.health.size(), 1U) << told.resource;
    offered[told.resource] = told.health[0];
    expect_handed_out(told, root);
  }
  EXPECT_EQ(offered, expected);
}

TEST_F(MigContainers, ThePluginOffersAllAsGpusInTheSingleStrategy) {
  NVMLAB_REQUIRE_CLIENT(plugin, "k8s-device-plugin");
  NVMLAB_REQUIRE_CLIENT(kubelet, "fake-kubelet");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  if (!bring_up(kAlike)) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";
  Health expected;
  for (const MigDevice& each : devices(smi))
    expected[each.uuid] = "Healthy";
  ASSERT_EQ(expected.size(), 14U);
  const auto told = plug_in(kubelet, plugin, "single", 1);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].resource, "nvidia.com/gpu");
  ASSERT_EQ(told[0].health.size(), 1U);
  EXPECT_EQ(told[0].health[0], expected);
  expect_handed_out(told[0], root);
}

TEST_F(MigContainers, NodesAreLabelledByTheirMigDevices) {
  NVMLAB_REQUIRE_CLIENT(discovery, "gpu-feature-discovery");
  if (!bring_up(kMixed)) GTEST_SKIP() << "mount namespaces cannot be made here";
  auto mixed = labels(discovery, "mixed");
  EXPECT_EQ(mixed["nvidia.com/mig.strategy"], "mixed");
  EXPECT_EQ(mixed["nvidia.com/gpu.count"], "2");
  EXPECT_EQ(mixed["nvidia.com/gpu.mode"], "compute") << "from the class of the PCI devices";
  EXPECT_EQ(mixed["nvidia.com/mig-3g.40gb.count"], "2");
  EXPECT_EQ(mixed["nvidia.com/mig-3g.40gb.memory"], "40448");
  EXPECT_EQ(mixed["nvidia.com/mig-3g.40gb.multiprocessors"], "60");
  EXPECT_EQ(mixed["nvidia.com/mig-3g.40gb.slices.gi"], "3");
  EXPECT_EQ(mixed["nvidia.com/mig-1g.10gb.product"], "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb");
  auto single = labels(discovery, "single");
  EXPECT_EQ(single["nvidia.com/gpu.product"], "NVIDIA-H100-80GB-HBM3-MIG-INVALID") << "devices of several kinds";
  EXPECT_EQ(single["nvidia.com/gpu.count"], "0");
}

TEST_F(MigContainers, ANodeOfOneKindIsLabelledAsThat) {
  NVMLAB_REQUIRE_CLIENT(discovery, "gpu-feature-discovery");
  if (!bring_up(kAlike)) GTEST_SKIP() << "mount namespaces cannot be made here";
  auto single = labels(discovery, "single");
  EXPECT_EQ(single["nvidia.com/gpu.product"], "NVIDIA-H100-80GB-HBM3-MIG-1g.10gb");
  EXPECT_EQ(single["nvidia.com/gpu.count"], "14");
  EXPECT_EQ(single["nvidia.com/gpu.memory"], "9984");
}

// Each device by its numbers and by its UUID, with the nodes of its GPU and of its capabilities.
TEST_F(MigContainers, TheToolkitDescribesEachDevice) {
  NVMLAB_REQUIRE_CLIENT(toolkit, "nvidia-ctk");
  NVMLAB_REQUIRE_CLIENT(smi, "nvidia-smi-550");
  if (!bring_up(kMixed)) GTEST_SKIP() << "device nodes or mount namespaces cannot be made here";
  const std::string folder = root.path();
  const Outcome outcome =
      run_there({nvmlab_program().string(), "run", on(), "--", "env", "LD_LIBRARY_PATH=" + root.libraries().string(),
                 toolkit.program.string(), "cdi", "generate", "--mode=nvml", "--format=json", "--driver-root=" + folder,
                 "--dev-root=" + folder, "--nvidia-cdi-hook-path=/bin/true", "--device-name-strategy=uuid"},
                false);
  ASSERT_TRUE(outcome.ok()) << outcome.story();
  const auto told = json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(told.is_object()) << outcome.story();
  std::map<std::string, std::set<std::string>> nodes;
  for (const json& device : told.at("devices")) {
    for (const json& node : device.at("containerEdits").at("deviceNodes"))
      nodes[device.at("name")].insert(node.at("path"));
  }
  const auto listed = devices(smi);
  ASSERT_EQ(listed.size(), 6U);
  std::set<std::string> capabilities;
  for (const MigDevice& each : listed) {
    ASSERT_TRUE(nodes.contains(each.uuid)) << outcome.out;
    EXPECT_EQ(nodes[each.uuid].size(), 3U) << outcome.out;
    for (const std::string& path : nodes[each.uuid]) {
      if (path.starts_with("/dev/nvidia-caps/")) capabilities.insert(path);
    }
  }
  EXPECT_EQ(capabilities.size(), 2 * listed.size()) << "no two devices share one";
}

}  // namespace
}  // namespace nvmlab::test
