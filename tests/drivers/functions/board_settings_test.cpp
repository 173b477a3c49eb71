// SPDX-License-Identifier: Apache-2.0
// Settings and records that stand by themselves: host name, uptime, RUSD, DRAM encryption, fabric cliques, affinity.
#include <sched.h>

#include <cstring>
#include <thread>

#include "tests/drivers/functions/support/board.hpp"

namespace nvmlab::driver_test {
namespace {

class BoardSettings : public Board {};

TEST_F(BoardSettings, TheHostNameIsWhatWasSet) {
  abi::nvmlHostname_v1_t name{};
  ASSERT_EQ(call("nvmlDeviceGetHostname_v1", &name), kSuccess);
  EXPECT_STREQ(name.value, "before");
  std::strcpy(name.value, "node-7.example.org");
  EXPECT_EQ(call("nvmlDeviceSetHostname_v1", &name), kSuccess);
  name = {};
  ASSERT_EQ(call("nvmlDeviceGetHostname_v1", &name), kSuccess);
  EXPECT_STREQ(name.value, "node-7.example.org");
  for (const char* wrong : {"", "a b", "new\nline", "under_score", "gr\xC3\xBC\xC3\x9F"}) {
    std::strcpy(name.value, wrong);
    EXPECT_EQ(call("nvmlDeviceSetHostname_v1", &name), kInvalidArgument) << wrong;
  }
  std::memset(name.value, 'x', sizeof name.value);
  EXPECT_EQ(call("nvmlDeviceSetHostname_v1", &name), kInvalidArgument) << "without an end";
  ASSERT_EQ(play("user"), kSuccess);
  std::strcpy(name.value, "other");
  EXPECT_EQ(call("nvmlDeviceSetHostname_v1", &name), kNoPermission);
}

TEST_F(BoardSettings, UptimeCountsFromTheInitialisation) {
  machine.advance(std::chrono::seconds(0));
  const std::uint64_t now_us = machine_time_ns(machine.store().clock) / 1000;
  for (const unsigned seconds : {0U, 3600U}) {
    machine.change_gpu(0, [&](Gpu& state) { state.identity.up_since_us.set(now_us - seconds * 1'000'000ULL); });
    EXPECT_EQ(get("nvmlDeviceGetGpuUptime_v1"), seconds);
  }
  machine.change_gpu(0, [](Gpu& state) { state.identity.up_since_us.set(~std::uint64_t{0}); });
  EXPECT_EQ(get("nvmlDeviceGetGpuUptime_v1"), 0U) << "a start in the future";
}

TEST_F(BoardSettings, RusdPollingIsRoots) {
  auto settings = versioned<abi::nvmlRusdSettings_v1_t>();
  settings.pollMask = 0x19;
  EXPECT_EQ(call("nvmlDeviceSetRusdSettings_v1", &settings), kSuccess);
  EXPECT_EQ(machine.gpu(0).modes.rusd_poll_mask.value, 0x19U);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetRusdSettings_v1", &settings), kNoPermission);
}

TEST_F(BoardSettings, OnlyAHypervisorChangesTheVirtualizationMode) {
  EXPECT_EQ(call("nvmlDeviceSetVirtualizationMode", 3), kNotSupported);
  machine.change_gpu(0, [](Gpu& state) { state.modes.host_vgpu.set(1); });
  EXPECT_EQ(call("nvmlDeviceSetVirtualizationMode", 4), kSuccess);
  EXPECT_EQ(get("nvmlDeviceGetVirtualizationMode"), 4U);
  EXPECT_EQ(call("nvmlDeviceSetVirtualizationMode", 3), kSuccess);
  for (const int wrong : {0, 1, 2, 5, -1})
    EXPECT_EQ(call("nvmlDeviceSetVirtualizationMode", wrong), kInvalidArgument) << wrong;
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetVirtualizationMode", 4), kNoPermission);
  EXPECT_EQ(get("nvmlDeviceGetVirtualizationMode"), 3U);
}

TEST_F(BoardSettings, DramEncryptionIsPending) {
  auto mode = versioned<abi::nvmlDramEncryptionInfo_v1_t>();
  auto pending = mode;
  mode.encryptionState = abi::NVML_FEATURE_ENABLED;
  EXPECT_EQ(call("nvmlDeviceSetDramEncryptionMode", &mode), kSuccess);
  ASSERT_EQ(call("nvmlDeviceGetDramEncryptionMode", &mode, &pending), kSuccess);
  EXPECT_EQ(mode.encryptionState, abi::NVML_FEATURE_DISABLED);
  EXPECT_EQ(pending.encryptionState, abi::NVML_FEATURE_ENABLED);
  mode.encryptionState = static_cast<abi::nvmlEnableState_t>(7);
  EXPECT_EQ(call("nvmlDeviceSetDramEncryptionMode", &mode), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  EXPECT_EQ(call("nvmlDeviceSetDramEncryptionMode", &pending), kNoPermission);
}

TEST_F(BoardSettings, CliquesOfTheFabric) {
  auto info = std::make_unique<abi::nvmlGpuFabricInfo_v4_t>();
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfo_v4", info.get()), kSuccess);
  ASSERT_EQ(info->numCliques, 3U);
  EXPECT_EQ(info->cliques[2].type, 2);
  EXPECT_EQ(info->cliques[2].id, 3U);
  EXPECT_EQ(info->state, 3);
  machine.change_gpu(0, [](Gpu& state) {
    state.fabric.cliques = {};
    state.fabric.clique_id.set(9);
  });
  ASSERT_EQ(call("nvmlDeviceGetGpuFabricInfo_v4", info.get()), kSuccess);
  ASSERT_EQ(info->numCliques, 2U) << "unicast and multicast, as on Hopper";
  EXPECT_EQ(info->cliques[1].type, 1);
  EXPECT_EQ(info->cliques[1].id, 9U);
  machine.change_gpu(0, [](Gpu& state) { state.fabric.state.set_error(kNotSupported); });
  EXPECT_EQ(call("nvmlDeviceGetGpuFabricInfo_v4", info.get()), kNotSupported);
}

// The thread that calls, and no other; back to all that it may use.
TEST_F(BoardSettings, AffinityBindsTheCallingThread) {
  cpu_set_t before{};
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  int one = 0;
  while (!CPU_ISSET(one, &before))
    ++one;
  ASSERT_LT(one, 1024);
  machine.change_gpu(0, [one](Gpu& state) {
    state.topology.cpu_affinity = {};
    state.topology.cpu_affinity.count = 16;
    state.topology.cpu_affinity[static_cast<std::uint32_t>(one / 64)] = std::uint64_t{1} << (one % 64);
  });
  std::thread([&] {
    cpu_set_t now{};
    EXPECT_EQ(call("nvmlDeviceSetCpuAffinity"), kSuccess);
    ::sched_getaffinity(0, sizeof now, &now);
    EXPECT_EQ(CPU_COUNT(&now), 1);
    EXPECT_TRUE(CPU_ISSET(one, &now));
    EXPECT_EQ(call("nvmlDeviceClearCpuAffinity"), kSuccess);
    ::sched_getaffinity(0, sizeof now, &now);
    EXPECT_GE(CPU_COUNT(&now), CPU_COUNT(&before));
  }).join();
  cpu_set_t after{};
  ::sched_getaffinity(0, sizeof after, &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  machine.change_gpu(0, [](Gpu& state) {
    state.topology.cpu_affinity = {};
    state.topology.cpu_affinity.count = 16;
    state.topology.cpu_affinity[15] = std::uint64_t{1} << 63;
  });
  if (!CPU_ISSET(1023, &before)) {
    EXPECT_EQ(call("nvmlDeviceSetCpuAffinity"), kUnknown) << "a CPU that is not there";
  }
  machine.change_gpu(0, [](Gpu& state) { state.topology.cpu_affinity = {}; });
  EXPECT_EQ(call("nvmlDeviceSetCpuAffinity"), kNotSupported);
}

TEST_F(BoardSettings, MemoryLimitsOfAControlGroup) {
  const TemporaryFolder group;
  const std::string path = group.path();
  abi::nvmlSetMemoryLimits_v1_t set{path.c_str(), 1 << 20, 1 << 30};
  abi::nvmlGetMemoryLimits_v1_t got{path.c_str(), 7, 7, 7};
  EXPECT_EQ(call("nvmlDeviceGetMemoryLimits_v1", &got), kNotFound);
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kSuccess);
  ASSERT_EQ(call("nvmlDeviceGetMemoryLimits_v1", &got), kSuccess);
  EXPECT_EQ(got.softLimit, 1U << 20);
  EXPECT_EQ(got.hardLimit, 1U << 30);
  EXPECT_EQ(got.currentUsed, 0U);
  set.hardLimit = 5ULL << 40;
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kInvalidArgument) << "more than the board has";
  set = {path.c_str(), 2 << 20, 1 << 20};
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kInvalidArgument) << "soft above hard";
  set = {path.c_str(), 0, ~0ULL};
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kSuccess);
  EXPECT_EQ(call("nvmlDeviceGetMemoryLimits_v1", &got), kNotFound);
  const std::string nowhere = path + "/nothing";
  set = {nowhere.c_str(), 0, 1};
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), 17 /* NVML_ERROR_OPERATING_SYSTEM */);
  set.nameSpace = nullptr;
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kInvalidArgument);
  ASSERT_EQ(play("user"), kSuccess);
  set = {path.c_str(), 0, 1};
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &set), kNoPermission);
}

TEST_F(BoardSettings, MoreGroupsThanCanBeKept) {
  const TemporaryFolder folder;
  int code = kSuccess;
  std::vector<std::string> paths;
  for (int i = 0; i < 9; ++i) {
    paths.push_back(folder.write("group" + std::to_string(i), ""));
    abi::nvmlSetMemoryLimits_v1_t set{paths.back().c_str(), 0, static_cast<unsigned long long>(i) + 1};
    code = call("nvmlDeviceSetMemoryLimits_v1", &set);
    EXPECT_EQ(code, i < 8 ? kSuccess : 23 /* NVML_ERROR_INSUFFICIENT_RESOURCES */) << i;
  }
  abi::nvmlSetMemoryLimits_v1_t clear{paths[0].c_str(), 0, ~0ULL};
  EXPECT_EQ(call("nvmlDeviceSetMemoryLimits_v1", &clear), kSuccess);
  for (std::size_t i = 1; i < 8; ++i) {
    abi::nvmlGetMemoryLimits_v1_t got{paths[i].c_str(), 0, 0, 0};
    EXPECT_EQ(call("nvmlDeviceGetMemoryLimits_v1", &got), kSuccess) << i;
    EXPECT_EQ(got.hardLimit, i + 1);
  }
}

}  // namespace
}  // namespace nvmlab::driver_test
