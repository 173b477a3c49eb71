// SPDX-License-Identifier: Apache-2.0
// Nodes from both sides: what their owner does, NVML tells, and what NVML sets, their owner sees.
#include "nvmlab/testing/node.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "nvmlab/nvml.hpp"
#include "tests/support/waiting.hpp"

namespace nvml::testing {
namespace {

using namespace std::chrono_literals;

Device device_of(const Library& library, unsigned index) {
  auto device = library.device(index);
  if (!device) throw std::runtime_error(device.error().message());
  return *device;
}

std::vector<std::string> uuids(const Library& library) {
  std::vector<std::string> all;
  for (const Device& device : library.devices())
    all.push_back(device.uuid().value_or("none"));
  return all;
}

std::string why(const std::function<void()>& refused) {
  try {
    refused();
  } catch (const Refused& error) {
    return error.what();
  }
  return "it was not refused";
}

TEST(Node, IsItsProfile) {
  const Node node{"dgx-h100"};
  EXPECT_EQ(node.gpu_count(), 8U);
  const auto library = node.open();
  ASSERT_TRUE(library) << library.error().message();
  EXPECT_EQ(uuids(*library).size(), 8U);
  EXPECT_EQ(device_of(*library, 7).name().value(), "NVIDIA H100 80GB HBM3");
}

TEST(Node, ManyLiveSideBySide) {
  std::vector<Node> nodes;
  std::vector<Library> libraries;
  for (unsigned i = 0; i < 12; ++i) {
    libraries.push_back(nodes.emplace_back("dgx-h100", NodeOptions{.gpus = i}).open().value());
    if (i > 0) nodes.back().gpu(0).set("thermal.gpu_c", std::to_string(30 + i));
  }
  for (unsigned i = 0; i < 12; ++i) {
    ASSERT_EQ(libraries[i].devices().size(), i);
    if (i > 0) {
      EXPECT_EQ(device_of(libraries[i], 0).temperature(TemperatureSensor::gpu)->count(), static_cast<int>(30 + i));
    }
  }
}

TEST(Node, TellsNvmlWhatItsOwnerSets) {
  Node node{"dgx-h100"};
  const auto library = node.open();
  const Device third = device_of(*library, 3);
  node.gpu(3).set("thermal.gpu_c", "91").start_process(4711, 3ULL << 30, "trainer");
  EXPECT_EQ(third.temperature(TemperatureSensor::gpu)->count(), 91);
  const auto processes = third.running_compute_processes();
  ASSERT_TRUE(processes) << processes.error().message();
  ASSERT_EQ(processes->size(), 1U);
  EXPECT_EQ(processes->front().pid, 4711U);
  node.gpu(3).end_process(4711);
  EXPECT_TRUE(third.running_compute_processes()->empty());
}

TEST(Node, SeesWhatIsSetThroughNvml) {
  Node node{"dgx-h100", {.role = Role::administrator}};
  const auto library = node.open();
  const auto set = device_of(*library, 2).set_power_management_limit(Milliwatts{350'000});
  ASSERT_TRUE(set) << set.error().message();
  EXPECT_EQ(node.gpu(2).get("power.limit_mw"), "350000");
  node.gpu(2).reset();
  EXPECT_EQ(node.gpu(2).get("power.limit_mw"), "700000");

  const Node of_user{"dgx-h100", {.role = Role::user}};
  const auto refused = device_of(*of_user.open(), 2).set_power_management_limit(Milliwatts{350'000});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Return::no_permission);
}

// With the capabilities of MIG somebody cuts a GPU who may change nothing else of it.
TEST(Node, LetsAUserConfigureMig) {
  Node node{"dgx-h100", {.gpus = 1, .role = Role::mig_config_and_monitor}};
  node.gpu(0).apply(nvmlab::SetMigMode{1});
  const auto library = node.open();
  const Device gpu = device_of(*library, 0);
  constexpr unsigned k3g = 9;
  const auto made = gpu.create_gpu_instance(k3g);
  ASSERT_TRUE(made) << made.error().message();
  ASSERT_TRUE(made->create_compute_instance(2));
  EXPECT_EQ(gpu.gpu_instances(k3g)->size(), 1U);
  EXPECT_EQ(node.gpu(0).get("instances.gpu_instances[0].profile_id"), "9");
  EXPECT_EQ(gpu.set_mig_mode(false).error().code(), Return::no_permission);

  Node of_config{"dgx-h100", {.gpus = 1, .role = Role::mig_config}};
  of_config.gpu(0).apply(nvmlab::SetMigMode{1});
  const auto other = of_config.open();
  const Device whole = device_of(*other, 0);
  EXPECT_TRUE(whole.create_gpu_instance(k3g));
  EXPECT_EQ(whole.gpu_instances(k3g).error().code(), Return::no_permission);

  Node of_monitor{"dgx-h100", {.gpus = 1, .role = Role::mig_monitor}};
  of_monitor.gpu(0).apply(nvmlab::SetMigMode{1});
  const auto another = of_monitor.open();
  EXPECT_EQ(device_of(*another, 0).create_gpu_instance(k3g).error().code(), Return::no_permission);
  EXPECT_TRUE(device_of(*another, 0).gpu_instances(k3g));
}

TEST(Node, TellsWhatWasAsked) {
  Node node{"dgx-h100", {.record_calls = true}};
  const auto library = node.open();
  const Device second = device_of(*library, 1);
  EXPECT_TRUE(second.vbios_version());
  node.gpu(1).fault(nvmlab::FaultKind::lost);
  EXPECT_FALSE(second.temperature(TemperatureSensor::gpu));
  EXPECT_EQ(node.called("nvmlDeviceGetVbiosVersion(device=GPU 1)"), 1U);
  EXPECT_EQ(node.called("nvmlDeviceGetTemperature* -> GPU_IS_LOST"), 1U);
  EXPECT_EQ(node.called("nvmlDeviceGetUUID"), 0U);
  ASSERT_FALSE(node.calls().empty());
  node.forget_calls();
  EXPECT_TRUE(node.calls().empty());
  EXPECT_TRUE(device_of(*library, 0).uuid());
  EXPECT_EQ(node.called("nvmlDeviceGetUUID"), 1U);

  EXPECT_EQ(why([] { (void)Node{"dgx-a100"}.calls(); }),
            "no calls are recorded: make the node with NodeOptions::record_calls");
}

TEST(Node, FaultsReachTheProgramAndHeal) {
  Node node{"dgx-h100"};
  const auto library = node.open();
  const Device lost = device_of(*library, 3);
  node.gpu(3).fault(nvmlab::FaultKind::lost);
  EXPECT_EQ(lost.power_usage().error().code(), Return::gpu_is_lost);
  EXPECT_TRUE(device_of(*library, 2).power_usage().has_value());
  node.gpu(3).heal();
  EXPECT_TRUE(lost.power_usage().has_value());

  node.gpu(1).fail_calls("nvmlDeviceGetPowerUsage", Return::timeout, 2);
  const Device slow = device_of(*library, 1);
  EXPECT_EQ(slow.power_usage().error().code(), Return::timeout);
  EXPECT_EQ(slow.power_usage().error().code(), Return::timeout);
  EXPECT_TRUE(slow.power_usage().has_value());
}

TEST(Node, EventsWakeWhoWaits) {
  Node node{"dgx-h100"};
  const auto library = node.open();
  auto events = library->create_event_set();
  ASSERT_TRUE(events) << events.error().message();
  ASSERT_TRUE(device_of(*library, 5).register_events(EventType::xid_critical_error, *events));
  node.gpu(5).fault(nvmlab::FaultKind::xid, 43);
  const auto event = events->wait(nvmlab::test::kDeadline);
  ASSERT_TRUE(event) << event.error().message();
  EXPECT_EQ(event->data, 43U);
}

TEST(Node, TimeStandsUntilItIsAdvanced) {
  const auto energy_of_an_hour = [] {
    Node node{"dgx-h100"};
    const auto library = node.open();
    const Device working = device_of(*library, 0);
    node.gpu(0).load(nvmlab::LoadKind::training);
    const auto before = working.total_energy_consumption().value();
    EXPECT_EQ(working.total_energy_consumption().value(), before);
    node.advance(1h);
    return working.total_energy_consumption()->count() - before.count();
  };
  const auto millijoules = energy_of_an_hour();
  EXPECT_GT(millijoules, 300ULL * 3600 * 1000);
  EXPECT_LT(millijoules, 700ULL * 3600 * 1000);
  EXPECT_EQ(energy_of_an_hour(), millijoules);
}

TEST(Node, GpusLeaveAndComeBack) {
  Node node{"dgx-h100"};
  node.gpu(6).remove();
  EXPECT_EQ(node.open()->devices().size(), 7U);
  node.gpu(6).put_back();
  EXPECT_EQ(node.open()->devices().size(), 8U);
}

TEST(Node, TheDriverFailsAndIsHealed) {
  Node node{"dgx-h100"};
  node.fail_init(Return::driver_not_loaded);
  const auto refused = node.open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code(), Return::driver_not_loaded);
  node.heal_driver();
  const auto library = node.open();
  ASSERT_TRUE(library);
  node.fail_calls("nvmlDeviceGetName", Return::unknown);
  EXPECT_FALSE(device_of(*library, 0).name());
  node.heal_calls();
  EXPECT_TRUE(device_of(*library, 0).name());
}

TEST(Node, LibrariesOutliveIt) {
  auto node = std::make_unique<Node>("dgx-h100", NodeOptions{.gpus = 1});
  const Library library = node->open().value();
  const Device device = device_of(library, 0);
  const auto folder = std::filesystem::path(node->library_path()).parent_path();
  node.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_EQ(device.power_usage().error().code(), Return::gpu_is_lost);
  // Descriptors and addresses come again: the next node is another one all the same.
  const Node next{"dgx-a100"};
  EXPECT_EQ(next.open()->devices().size(), 8U);
  EXPECT_EQ(device.power_usage().error().code(), Return::gpu_is_lost);
}

TEST(Node, LeavesNoDescriptorOpen) {
  const auto open_now = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
  };
  const auto before = open_now();
  for (int i = 0; i < 5; ++i) {
    const Node node{"dgx-a100"};
    ASSERT_TRUE(node.open());
  }
  EXPECT_EQ(open_now(), before);
}

TEST(Node, TheEnvironmentDoesNotMatter) {
  ::setenv("NVMLAB_MACHINE", "/nowhere/to/be/found", 1);
  ::setenv("NVMLAB_GPUS", "3", 1);
  ::setenv("NVMLAB_INIT_ERROR", "9", 1);
  const Node node{"dgx-a100"};
  const auto library = node.open();
  ::unsetenv("NVMLAB_MACHINE");
  ::unsetenv("NVMLAB_GPUS");
  ::unsetenv("NVMLAB_INIT_ERROR");
  ASSERT_TRUE(library) << library.error().message();
  EXPECT_EQ(library->devices().size(), 8U);
}

TEST(Node, SaysWhatIsWrong) {
  EXPECT_EQ(
      why([] { const Node node{"dgx-h1000"}; }),
      "there is no profile 'dgx-h1000'; did you mean 'dgx-h100'? `nvmlab profiles` lists them; a file's name has a "
      "slash or ends in .yaml");
  EXPECT_NE(why([] {
              const Node node("dgx-h100", {.library = "/nowhere/libnvidia-ml.so.1"});
            }).find("'/nowhere/libnvidia-ml.so.1': the simulated driver cannot be read"),
            std::string::npos);
  EXPECT_EQ(why([] { const Node node("dgx-h100", {.library = "/bin/sh"}); }),
            "'/bin/sh': no simulated driver of this version of nvmlab");
  Node node{"dgx-h100"};
  EXPECT_EQ(why([&] { (void)node.gpu(8); }), "there is no GPU 8: this node has 8");
  EXPECT_EQ(why([&] { node.gpu(0).set("thermal.gpu", "1"); }).find("thermal has no field 'gpu'; its fields are"), 0U);
  EXPECT_NE(why([&] { node.gpu(0).fault(nvmlab::FaultKind::xid, 9999); }), "it was not refused");
  EXPECT_NE(why([&] { node.gpu(0).start_process(1, 0, std::string(300, 'x')); }).find("199 characters"),
            std::string::npos);
}

}  // namespace
}  // namespace nvml::testing
