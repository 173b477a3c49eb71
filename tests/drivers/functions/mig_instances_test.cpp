// SPDX-License-Identifier: Apache-2.0
//
// MIG while it is on: GPU instances, compute instances and MIG devices through every function that knows them, in each
// struct version, as root and without; and what the GPU and the MIG devices then refuse.
#include <array>
#include <cstring>
#include <set>
#include <thread>

#include "tests/drivers/functions/support/board.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr int kInUse = 19;
constexpr int kInsufficientResources = 23;

// Profiles by the ids by which instances are made.
constexpr unsigned k3g = 9, k2g = 14, k1g = 19, k1gMe = 20, k1gTwice = 15;

class MigInstances : public Board {
 protected:
  explicit MigInstances(const std::string& profile = "dgx-h100", const std::string& branch = Api::kNewestDriver)
      : Board(profile, branch) {}
  void SetUp() override {
    Board::SetUp();
    abi::nvmlReturn_t status = abi::NVML_ERROR_UNKNOWN;
    ASSERT_EQ(call("nvmlDeviceSetMigMode", 1U, &status), kSuccess);
    ASSERT_EQ(status, abi::NVML_SUCCESS);
  }

  Word create(unsigned profile, int expected = kSuccess) const {
    Word made = 0;
    EXPECT_EQ(call("nvmlDeviceCreateGpuInstance", profile, &made), expected) << profile;
    return made;
  }
  Word fill(Word gpu_instance, unsigned profile, int expected = kSuccess) const {
    Word made = 0;
    EXPECT_EQ(driver.call("nvmlGpuInstanceCreateComputeInstance", gpu_instance, profile, &made), expected);
    return made;
  }
  Word mig_device(unsigned index) const {
    Word found = 0;
    EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", index, &found), kSuccess) << index;
    return found;
  }
  abi::nvmlGpuInstanceInfo_t info(Word gpu_instance) const {
    abi::nvmlGpuInstanceInfo_t found{};
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetInfo", gpu_instance, &found), kSuccess);
    return found;
  }
  std::string uuid(Word device) const { return driver.text("nvmlDeviceGetUUID", device); }
};

TEST_F(MigInstances, AreMadeWhereTheDriverPutsThem) {
  const Word large = create(k3g);
  const Word middle = create(k2g);
  const Word small = create(k1g);
  EXPECT_EQ(info(large).id, 2U);
  EXPECT_EQ(info(large).placement.start, 4U);
  EXPECT_EQ(info(large).placement.size, 4U);
  EXPECT_EQ(info(middle).id, 3U);
  EXPECT_EQ(info(small).profileId, k1g);
  EXPECT_EQ(reinterpret_cast<Word>(info(small).device), gpu);
  create(k3g, kInsufficientResources);
  create(99, kInvalidArgument);
  unsigned left = 77;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceRemainingCapacity", k1g, &left), kSuccess);
  EXPECT_EQ(left, 1U);
  const abi::nvmlGpuInstancePlacement_t place{3, 1};
  Word last = 0;
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstanceWithPlacement", k1g, &place, &last), kSuccess);
  EXPECT_EQ(info(last).id, 10U);
  const abi::nvmlGpuInstancePlacement_t nowhere{7, 1};
  EXPECT_EQ(call("nvmlDeviceCreateGpuInstanceWithPlacement", k1g, &nowhere, &last), kInvalidArgument);
  std::array<Word, 7> listed{};
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", k1g, listed.data(), &count), kSuccess);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(listed[0], small);
  Word by_id = 0;
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", 2U, &by_id), kSuccess);
  EXPECT_EQ(by_id, large);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", 1U, &by_id), kNotFound);
}

TEST_F(MigInstances, AreCutIntoComputeInstances) {
  const Word large = create(k3g);
  abi::nvmlComputeInstanceProfileInfo_t first{};
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", large, 1U, 0U, &first), kSuccess);
  EXPECT_EQ(first.id, 1U);
  EXPECT_EQ(first.sliceCount, 2U);
  EXPECT_EQ(first.multiprocessorCount, 32U);
  EXPECT_EQ(first.sharedDecoderCount, 3U);
  auto second = versioned<abi::nvmlComputeInstanceProfileInfo_v2_t>();
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", large, 1U, 0U, &second), kSuccess);
  EXPECT_STREQ(second.name, "MIG 2c.3g.40gb");
  auto third = versioned<abi::nvmlComputeInstanceProfileInfo_v3_t>();
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", large, 2U, 0U, &third), kSuccess);
  EXPECT_STREQ(third.name, "MIG 3g.40gb");
  EXPECT_EQ(third.multiprocessorCount, 60U);
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", large, 3U, 0U, &first), kNotSupported);
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", large, 99U, 0U, &first), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfo", large, 1U, 1U, &first), kInvalidArgument);

  unsigned left = 0;
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceRemainingCapacity", large, 0U, &left), kSuccess);
  EXPECT_EQ(left, 3U);
  const Word one = fill(large, 0);
  const Word two = fill(large, 1, kInsufficientResources);
  EXPECT_EQ(two, 0U) << "two slices start at the first alone";
  const Word other = fill(large, 0);
  std::array<Word, 3> listed{};
  unsigned count = 0;
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstances", large, 0U, listed.data(), &count), kSuccess);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(listed[1], other);
  abi::nvmlComputeInstanceInfo_t told{};
  EXPECT_EQ(driver.call("nvmlComputeInstanceGetInfo_v2", other, &told), kSuccess);
  EXPECT_EQ(told.id, 1U);
  EXPECT_EQ(told.placement.start, 1U);
  EXPECT_EQ(told.placement.size, 1U);
  EXPECT_EQ(reinterpret_cast<Word>(told.gpuInstance), large);
  std::memset(&told, 0x55, sizeof told);
  EXPECT_EQ(driver.call("nvmlComputeInstanceGetInfo", other, &told), kSuccess);
  EXPECT_EQ(told.profileId, 0U);
  EXPECT_EQ(told.placement.start, 0x55555555U) << "the first layout ends before it";
  EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", large), kInUse);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", one), kSuccess);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", one), kInvalidArgument) << "its handle is dead";
  const Word again = fill(large, 0);
  EXPECT_NE(again, one);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", again), kSuccess);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", other), kSuccess);
  EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", large), kSuccess);
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetInfo", large, &told), kInvalidArgument);
}

// As in the GPU instances of an RTX PRO 6000 whose names end in +gfx.
TEST_F(MigInstances, ThatDrawHaveComputeInstancesThatDrawToo) {
  machine.change_gpu(0, [](Gpu& state) {
    for (auto& each : state.mig.profiles) {
      if (each.id.value == k2g) each.capabilities.set(abi::GPU_INSTANCE_PROFILE_CAPS_GFX);
    }
  });
  auto info = versioned<abi::nvmlComputeInstanceProfileInfo_v3_t>();
  const Word drawing = create(k2g);
  for (const unsigned profile : {0U, 1U}) {
    info.capabilities = 77;
    EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", drawing, profile, 0U, &info), kSuccess);
    EXPECT_EQ(info.capabilities, unsigned{abi::COMPUTE_INSTANCE_PROFILE_CAPS_GFX});
  }
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceProfileInfoV", create(k1g), 0U, 0U, &info), kSuccess);
  EXPECT_EQ(info.capabilities, 0U);
}

TEST_F(MigInstances, AreMigDevicesOnceTheyAreFilled) {
  Word none = 0;
  const Word middle = create(k2g);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", 0U, &none), kNotFound) << "nothing computes there yet";
  fill(middle, 1);
  const Word large = create(k3g);
  fill(large, 0);
  const Word first = mig_device(0);
  const Word second = mig_device(1);
  EXPECT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", 7U, &none), kInvalidArgument);
  for (const auto& [device, gpu_instance, index] :
       {std::tuple{first, info(large).id, 0U}, std::tuple{second, info(middle).id, 1U}}) {
    unsigned number = 77;
    EXPECT_EQ(driver.call("nvmlDeviceIsMigDeviceHandle", device, &number), kSuccess);
    EXPECT_EQ(number, 1U);
    EXPECT_EQ(driver.call("nvmlDeviceGetGpuInstanceId", device, &number), kSuccess);
    EXPECT_EQ(number, gpu_instance) << "in the order of GPU instances";
    EXPECT_EQ(driver.call("nvmlDeviceGetComputeInstanceId", device, &number), kSuccess);
    EXPECT_EQ(number, 0U);
    EXPECT_EQ(driver.call("nvmlDeviceGetIndex", device, &number), kSuccess);
    EXPECT_EQ(number, index);
    Word parent = 0;
    EXPECT_EQ(driver.call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", device, &parent), kSuccess);
    EXPECT_EQ(parent, gpu);
    Word found = 0;
    EXPECT_EQ(driver.call("nvmlDeviceGetHandleByUUID", uuid(device).c_str(), &found), kSuccess) << uuid(device);
    EXPECT_EQ(found, device);
  }
  EXPECT_EQ(driver.text("nvmlDeviceGetName", first), "NVIDIA H100 80GB HBM3 MIG 1c.3g.40gb");
  EXPECT_EQ(driver.text("nvmlDeviceGetName", second), "NVIDIA H100 80GB HBM3 MIG 2g.20gb");
  abi::nvmlDeviceAttributes_t attributes{};
  EXPECT_EQ(driver.call("nvmlDeviceGetAttributes_v2", first, &attributes), kSuccess);
  EXPECT_EQ(attributes.multiprocessorCount, 16U);
  EXPECT_EQ(attributes.gpuInstanceSliceCount, 3U);
  EXPECT_EQ(attributes.computeInstanceSliceCount, 1U);
  EXPECT_EQ(attributes.memorySizeMB, 40448U);
  auto memory = versioned<abi::nvmlMemory_v2_t>();
  EXPECT_EQ(driver.call("nvmlDeviceGetMemoryInfo_v2", second, &memory), kSuccess);
  EXPECT_EQ(memory.total >> 20, 20096U);
  EXPECT_EQ(memory.reserved, 0U);
  EXPECT_EQ(memory.used + memory.free, memory.total);
  EXPECT_EQ(driver.call("nvmlDeviceGetAttributes_v2", gpu, &attributes), kNotSupported) << "a whole GPU has none";
}

TEST_F(MigInstances, HaveTheSameUuidForTheSameGeometry) {
  const auto make = [&] {
    const Word one = create(k1g);
    fill(one, 0);
    return one;
  };
  const Word instance = make();
  const std::string before = uuid(mig_device(0));
  EXPECT_EQ(before.size(), 40U);
  EXPECT_EQ(before.substr(0, 4), "MIG-");
  EXPECT_EQ(before[18], '5') << "version";
  EXPECT_NE(std::string("89ab").find(before[23]), std::string::npos) << "variant";
  Word filling = 0;
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetComputeInstanceById", instance, 0U, &filling), kSuccess);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", filling), kSuccess);
  EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", instance), kSuccess);
  make();
  EXPECT_EQ(uuid(mig_device(0)), before);
  std::set<std::string> all{before};
  for (unsigned i = 1; i < 7; ++i) {
    make();
    all.clear();
  }
  for (unsigned i = 0; i < 7; ++i)
    all.insert(uuid(mig_device(i)));
  EXPECT_EQ(all.size(), 7U);
}

TEST_F(MigInstances, TakeRoot) {
  const Word large = create(k3g);
  const Word filling = fill(large, 2);
  EXPECT_EQ(play("user"), kSuccess);
  Word handle = 0;
  unsigned number = 0;
  abi::nvmlReturn_t status{};
  abi::nvmlGpuInstanceInfo_t told{};
  create(k1g, kNoPermission);
  EXPECT_EQ(call("nvmlDeviceSetMigMode", 0U, &status), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstances", k3g, &handle, &number), kNoPermission);
  EXPECT_EQ(call("nvmlDeviceGetGpuInstanceById", 2U, &handle), kNoPermission);
  EXPECT_EQ(driver.call("nvmlGpuInstanceGetInfo", large, &told), kNoPermission);
  EXPECT_EQ(driver.call("nvmlGpuInstanceDestroy", large), kNoPermission);
  EXPECT_EQ(driver.call("nvmlComputeInstanceDestroy", filling), kNoPermission);
  fill(large, 0, kNoPermission);
  abi::nvmlMemory_t memory{};
  EXPECT_EQ(call("nvmlDeviceGetMemoryInfo", &memory), kNoPermission) << "the sum over all instances";
  EXPECT_EQ(driver.call("nvmlDeviceGetMemoryInfo", mig_device(0), &memory), kSuccess) << "of one";
}

TEST_F(MigInstances, LeaveTheGpuWithoutWhatTheyShareOut) {
  abi::nvmlUtilization_t rates{};
  unsigned number = 0;
  EXPECT_EQ(call("nvmlDeviceGetUtilizationRates", &rates), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceGetEncoderUtilization", &number, &number), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceSetAccountingMode", 1U), kNotSupported);
  EXPECT_EQ(call("nvmlDeviceGetTemperature", 0U, &number), kSuccess) << "of the whole board";
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", &number), kSuccess);
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  EXPECT_EQ(call("nvmlDeviceGetRemappedRows", &corrected, &uncorrected, &pending, &failed), kSuccess);
  const Word large = create(k3g);
  EXPECT_EQ(call("nvmlDeviceGetRemappedRows", &corrected, &uncorrected, &pending, &failed), kNotSupported);
  fill(large, 2);
  const Word mig = mig_device(0);
  EXPECT_EQ(driver.call("nvmlDeviceGetTemperature", mig, 0U, &number), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetPowerUsage", mig, &number), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetMigMode", mig, &number, &number), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetUtilizationRates", mig, &rates), kNotSupported);
  abi::nvmlGpuInstanceProfileInfo_t profile{};
  auto second_layout = versioned<abi::nvmlGpuInstanceProfileInfo_v2_t>();
  auto third_layout = versioned<abi::nvmlGpuInstanceProfileInfo_v3_t>();
  EXPECT_EQ(driver.call("nvmlDeviceGetGpuInstanceProfileInfo", mig, 0U, &profile), kNotSupported) << "it is not cut";
  EXPECT_EQ(driver.call("nvmlDeviceGetGpuInstanceProfileInfoV", mig, 0U, &second_layout), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetGpuInstanceProfileInfoV", mig, 0U, &third_layout), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetGpuInstanceProfileInfoByIdV", mig, 19U, &third_layout), kNotSupported);
  EXPECT_EQ(driver.call("nvmlDeviceGetMinorNumber", mig, &number), kSuccess);
  EXPECT_EQ(driver.call("nvmlDeviceGetMinorNumber", mig + (Word{1} << 12), &number), kInvalidArgument);
  const Word second = driver.device(1);
  EXPECT_EQ(driver.call("nvmlDeviceGetUtilizationRates", second, &rates), kSuccess) << "the other GPU is whole";
}

TEST_F(MigInstances, ListTheirOwnProcesses) {
  const Word large = create(k3g);
  fill(large, 2);
  fill(create(k2g), 1);
  machine.change_gpu(0, [](Gpu& state) {
    for (const unsigned instance : {2U, 3U}) {
      auto& process = state.processes.running[state.processes.running.count++];
      process.pid.set(1000 + instance);
      process.kinds.set(1);
      process.used_bytes.set(instance << 20);
      process.gpu_instance.set(instance);
      process.compute_instance.set(0);
      process.sm_percent.set(10 * instance);
    }
  });
  std::array<abi::nvmlProcessInfo_t, 4> found{};
  unsigned count = 4;
  EXPECT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", &count, found.data()), kSuccess);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(found[1].gpuInstanceId, 3U);
  count = 4;
  EXPECT_EQ(driver.call("nvmlDeviceGetComputeRunningProcesses_v3", mig_device(1), &count, found.data()), kSuccess);
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(found[0].pid, 1003U);
  abi::nvmlMemory_t before{};
  abi::nvmlMemory_t after{};
  EXPECT_EQ(driver.call("nvmlDeviceGetMemoryInfo", mig_device(1), &after), kSuccess);
  machine.change_gpu(0, [](Gpu& state) { state.processes.running.count = 0; });
  EXPECT_EQ(driver.call("nvmlDeviceGetMemoryInfo", mig_device(1), &before), kSuccess);
  EXPECT_EQ(after.used - before.used, 3U << 20);
}

TEST_F(MigInstances, AreMeasuredApart) {
  fill(create(k3g), 2);
  fill(create(k2g), 1);
  machine.change_gpu(0, [](Gpu& state) {
    auto& process = state.processes.running[state.processes.running.count++];
    process.pid.set(1003);
    process.kinds.set(1);
    process.gpu_instance.set(3);
    process.compute_instance.set(0);
    process.sm_percent.set(50);
  });
  Word samples[2] = {0, 0};
  for (Word& sample : samples)
    ASSERT_EQ(driver.call("nvmlGpmSampleAlloc", &sample), kSuccess);
  const auto activity = [&](const auto& take) {
    EXPECT_EQ(take(samples[0]), kSuccess);
    machine.advance(std::chrono::milliseconds(100));  // counters are refreshed every 100
    EXPECT_EQ(take(samples[1]), kSuccess);
    abi::nvmlGpmMetricsGet_t asked{};
    asked.version = 1;
    asked.numMetrics = 1;
    asked.sample1 = reinterpret_cast<abi::nvmlGpmSample_t>(samples[0]);
    asked.sample2 = reinterpret_cast<abi::nvmlGpmSample_t>(samples[1]);
    asked.metrics[0].metricId = 1;
    EXPECT_EQ(driver.call("nvmlGpmMetricsGet", &asked), kSuccess);
    return asked.metrics[0].value;
  };
  const auto of_instance = [&](unsigned id) {
    return activity([&](Word sample) { return call("nvmlGpmMigSampleGet", id, sample); });
  };
  const auto of_device = [&](Word device) {
    return activity([&](Word sample) { return driver.call("nvmlGpmSampleGet", device, sample); });
  };
  EXPECT_EQ(of_instance(2), 0);
  EXPECT_EQ(of_instance(3), 50);
  EXPECT_EQ(of_device(mig_device(1)), 50);
  EXPECT_EQ(call("nvmlGpmMigSampleGet", 5U, samples[0]), kInvalidArgument);
  EXPECT_EQ(driver.call("nvmlGpmSampleGet", mig_device(0), samples[0]), kSuccess);
  abi::nvmlGpmMetricsGet_t mixed{};
  mixed.version = 1;
  mixed.numMetrics = 1;
  mixed.sample1 = reinterpret_cast<abi::nvmlGpmSample_t>(samples[0]);
  mixed.sample2 = reinterpret_cast<abi::nvmlGpmSample_t>(samples[1]);
  EXPECT_EQ(driver.call("nvmlGpmMetricsGet", &mixed), kInvalidArgument) << "samples of two instances";
  for (const Word sample : samples)
    EXPECT_EQ(driver.call("nvmlGpmSampleFree", sample), kSuccess);
}

class MigOfDriver460 : public MigInstances {
 protected:
  MigOfDriver460() : MigInstances("dgx-h100", "460") {}
};

TEST_F(MigOfDriver460, HaveUuidsThatNameTheirGpu) {
  const Word one = create(k1g);
  fill(one, 0);
  EXPECT_EQ(uuid(mig_device(0)), "MIG-" + uuid(gpu) + "/" + std::to_string(info(one).id) + "/0");
  Word found = 0;
  EXPECT_EQ(driver.call("nvmlDeviceGetHandleByUUID", uuid(mig_device(0)).c_str(), &found), kSuccess);
  create(k1gMe, kInvalidArgument);
  create(k1gTwice, kInvalidArgument);
}

}  // namespace
}  // namespace nvmlab::driver_test
