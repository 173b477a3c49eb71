// SPDX-License-Identifier: Apache-2.0
//
// vGPU on a node that hosts some (tests/clients/profiles/vgpu-host.yaml): types, lists with their lengths, what a vGPU
// tells of itself, schedulers, and arguments that nobody should pass.
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "nvmlab/abi/abi.hpp"
#include "tests/drivers/functions/support/steps.hpp"

namespace nvmlab::driver_test {
namespace {

constexpr unsigned kVgpu = 3251634213;
constexpr unsigned kOther = 3251634214;

class VgpuHost : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(driver().init(), kSuccess); }
  void TearDown() override { EXPECT_EQ(driver().shutdown(), kSuccess); }

  template <class... Arguments>
  int call(const std::string& name, Arguments... arguments) const {
    return driver().call(name, arguments...);
  }
  Word gpu(unsigned index = 0) const { return driver().device(index); }

  SharedMachine machine{(source_folder() / "tests/clients/profiles/vgpu-host.yaml").string()};
};

TEST_F(VgpuHost, ListsTellTheirLengthFirst) {
  for (const auto& [name, expected] :
       {std::pair<std::string, std::vector<unsigned>>{"nvmlDeviceGetSupportedVgpus", {468, 470, 474, 475}},
        {"nvmlDeviceGetCreatableVgpus", {470}},
        {"nvmlDeviceGetActiveVgpus", {kVgpu, kOther}}}) {
    const auto size = static_cast<unsigned>(expected.size());
    unsigned count = 0;
    EXPECT_EQ(call(name, gpu(), &count, nullptr), kInsufficientSize) << name;
    EXPECT_EQ(count, size) << name;
    std::vector<unsigned> ids(size + 1, 77);
    count = size - 1;
    EXPECT_EQ(call(name, gpu(), &count, ids.data()), kInsufficientSize) << name;
    EXPECT_EQ(count, size) << name;
    std::ranges::fill(ids, 77);
    EXPECT_EQ(call(name, gpu(), &count, ids.data()), kSuccess) << name;
    EXPECT_EQ(std::vector<unsigned>(ids.begin(), ids.end() - 1), expected) << name;
    EXPECT_EQ(ids.back(), 77U) << name;
    EXPECT_EQ(call(name, gpu(), &count, nullptr), kInvalidArgument) << name << ": room for nothing";
    EXPECT_EQ(call(name, gpu(), nullptr, ids.data()), kInvalidArgument) << name;
    EXPECT_EQ(call(name, Word{1}, &count, ids.data()), kInvalidArgument) << name;
  }
  unsigned none = 0;
  EXPECT_EQ(call("nvmlDeviceGetActiveVgpus", gpu(1), &none, nullptr), kSuccess) << "GPU 1 lends out nothing";
}

TEST_F(VgpuHost, TypesTellWhatTheyAre) {
  std::array<char, 64> name{};
  unsigned size = 0;
  EXPECT_EQ(call("nvmlVgpuTypeGetName", 470U, name.data(), &size), kInsufficientSize);
  EXPECT_EQ(size, 13U);
  EXPECT_EQ(call("nvmlVgpuTypeGetName", 470U, name.data(), &size), kSuccess);
  EXPECT_STREQ(name.data(), "GRID A100-8C");
  unsigned width = 0;
  unsigned height = 0;
  EXPECT_EQ(call("nvmlVgpuTypeGetResolution", 470U, 0U, &width, &height), kSuccess);
  EXPECT_EQ(width, 4096U);
  EXPECT_EQ(call("nvmlVgpuTypeGetResolution", 470U, 1U, &width, &height), kInvalidArgument);
  unsigned capability = 77;
  EXPECT_EQ(call("nvmlVgpuTypeGetCapabilities", 470U, 3, &capability), kSuccess);
  EXPECT_EQ(capability, 1U);
  EXPECT_EQ(call("nvmlVgpuTypeGetCapabilities", 470U, 5, &capability), kInvalidArgument);
  unsigned profile = 0;
  EXPECT_EQ(call("nvmlVgpuTypeGetGpuInstanceProfileId", 470U, &profile), kSuccess);
  EXPECT_EQ(profile, ~0U);
  EXPECT_EQ(call("nvmlVgpuTypeGetGpuInstanceProfileId", 475U, &profile), kSuccess);
  EXPECT_EQ(profile, 19U);
  for (const unsigned unknown : {0U, 469U, ~0U})
    EXPECT_EQ(call("nvmlVgpuTypeGetMaxInstances", gpu(), unknown, &size), kInvalidArgument) << unknown;
}

TEST_F(VgpuHost, PlacementsInBothLayouts) {
  nvml::abi::nvmlVgpuPlacementList_v2_t list{};
  std::array<unsigned, 8> ids{};
  list.version = nvml::abi::version_of<nvml::abi::nvmlVgpuPlacementList_v2_t>;
  list.mode = 1;  // equal sizes
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeSupportedPlacements", gpu(), 470U, &list), kInsufficientSize);
  EXPECT_EQ(list.count, 5U);
  list.placementIds = ids.data();
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeCreatablePlacements", gpu(), 470U, &list), kSuccess);
  EXPECT_EQ(list.count, 3U);
  EXPECT_EQ(ids[0], 16U);
  list.mode = 0;  // unlike sizes: the largest power of two
  list.count = 8;
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeSupportedPlacements", gpu(), 470U, &list), kSuccess);
  EXPECT_EQ(list.count, 4U);
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeSupportedPlacements", gpu(), 475U, &list), kNotSupported);
  nvml::abi::nvmlVgpuPlacementList_v1_t old{};
  old.version = nvml::abi::version_of<nvml::abi::nvmlVgpuPlacementList_v1_t>;
  old.placementIds = ids.data();  // its count is an output only
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeSupportedPlacements", gpu(), 470U, &old), kSuccess);
  EXPECT_EQ(old.count, 5U);
  old.version = 0x3000018;
  EXPECT_EQ(call("nvmlDeviceGetVgpuTypeSupportedPlacements", gpu(), 470U, &old), kArgumentVersionMismatch);
}

TEST_F(VgpuHost, AVgpuTellsOfItsGuest) {
  std::array<char, 80> text{};
  int type = 77;
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmID", kVgpu, text.data(), 37U, &type), kSuccess);
  EXPECT_STREQ(text.data(), "ee7b7a4b-388a-4357-a425-5318b2c65b3f");
  EXPECT_EQ(type, 1);
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmID", kVgpu, text.data(), 36U, &type), kInsufficientSize);
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmDriverVersion", kOther, text.data(), 80U), kSuccess);
  EXPECT_STREQ(text.data(), "Not Available") << "it has not booted";
  nvml::abi::nvmlVgpuLicenseInfo_t license{};
  EXPECT_EQ(call("nvmlVgpuInstanceGetLicenseInfo_v2", kVgpu, &license), kSuccess);
  EXPECT_EQ(license.currentState, 5U);
  EXPECT_EQ(license.licenseExpiry.year, 2025U);
  EXPECT_EQ(license.licenseExpiry.sec, 8U);
  unsigned words[7] = {77, 77, 77, 77, 77, 77, 77};
  EXPECT_EQ(call("nvmlVgpuInstanceGetLicenseInfo", kVgpu, words), kSuccess);
  EXPECT_EQ(words[5], 77U) << "20 bytes were all there was";
  for (const unsigned unknown : {1U, kOther + 1, ~0U})
    EXPECT_EQ(call("nvmlVgpuInstanceGetVmDriverVersion", unknown, text.data(), 80U), kNotFound) << unknown;
  EXPECT_EQ(call("nvmlVgpuInstanceGetVmDriverVersion", 0U, text.data(), 80U), kInvalidArgument);
}

TEST_F(VgpuHost, SamplesAreThereOnce) {
  unsigned count = 0;
  int type = 0;
  EXPECT_EQ(call("nvmlDeviceGetVgpuUtilization", gpu(), Word{0}, &type, &count, nullptr), kInsufficientSize);
  EXPECT_EQ(count, 2U);
  std::array<nvml::abi::nvmlVgpuInstanceUtilizationSample_t, 2> samples{};
  EXPECT_EQ(call("nvmlDeviceGetVgpuUtilization", gpu(), Word{0}, &type, &count, samples.data()), kSuccess);
  EXPECT_EQ(samples[0].smUtil.uiVal, 31U);
  EXPECT_EQ(call("nvmlDeviceGetVgpuUtilization", gpu(), ~Word{0}, &type, &count, samples.data()), kNotFound);
  EXPECT_EQ(call("nvmlDeviceGetVgpuUtilization", gpu(1), Word{0}, &type, &count, samples.data()), kSuccess);
  EXPECT_EQ(count, 0U);
}

TEST_F(VgpuHost, ASchedulerIsAnAdministrators) {
  EXPECT_EQ(in_child([&] {
              Steps steps;
              nvml::abi::nvmlVgpuSchedulerSetState_t state{};
              state.schedulerPolicy = 3;
              state.enableARRMode = 1;
              state.schedulerParams.vgpuSchedData.timeslice = 2'000'000;
              steps.expect(call("nvmlDeviceSetVgpuSchedulerState", gpu(0), &state), kInUse, "with vGPUs");
              steps.expect(call("nvmlDeviceSetVgpuSchedulerState", gpu(1), &state), kSuccess, "without");
              nvml::abi::nvmlVgpuSchedulerGetState_t now{};
              steps.expect(call("nvmlDeviceGetVgpuSchedulerState", gpu(1), &now), kSuccess, "asking");
              steps.equal(now.schedulerPolicy, 3, "the policy");
              steps.equal(now.schedulerParams.vgpuSchedData.timeslice, 0, "the turn of nobody");
              state.schedulerPolicy = 9;
              steps.expect(call("nvmlDeviceSetVgpuSchedulerState", gpu(1), &state), kInvalidArgument, "policy 9");
              steps.expect(call("nvmlVgpuInstanceSetEncoderCapacity", kVgpu, 101U), kInvalidArgument, "101 %");
              steps.expect(call("nvmlVgpuInstanceSetEncoderCapacity", kVgpu, 50U), kSuccess, "50 %");
              unsigned capacity = 0;
              steps.expect(call("nvmlVgpuInstanceGetEncoderCapacity", kVgpu, &capacity), kSuccess, "asking");
              steps.equal(capacity, 50, "the capacity");
              return steps.said();
            }),
            "");
}

TEST_F(VgpuHost, ABlockMovesToTheSameKindOfBoard) {
  unsigned size = 0;
  EXPECT_EQ(call("nvmlDeviceGetVgpuMetadata", gpu(), nullptr, &size), kInsufficientSize);
  nvml::abi::nvmlVgpuPgpuMetadata_t board{};
  ASSERT_EQ(size, sizeof board);
  EXPECT_EQ(call("nvmlDeviceGetVgpuMetadata", gpu(), &board, &size), kSuccess);
  nvml::abi::nvmlVgpuMetadata_t vgpu{};
  size = sizeof vgpu;
  EXPECT_EQ(call("nvmlVgpuInstanceGetMetadata", kVgpu, &vgpu, &size), kSuccess);
  nvml::abi::nvmlVgpuPgpuCompatibility_t answer{};
  vgpu.guestVgpuVersion = board.hostSupportedVgpuRange.maxVersion;
  EXPECT_EQ(call("nvmlGetVgpuCompatibility", &vgpu, &board, &answer), kSuccess);
  EXPECT_EQ(answer.vgpuVmCompatibility & 8, 8) << "live";
  ++vgpu.guestVgpuVersion;
  EXPECT_EQ(call("nvmlGetVgpuCompatibility", &vgpu, &board, &answer), kSuccess);
  EXPECT_EQ(answer.compatibilityLimitCode, 2) << "the guest's driver is too new";
  board.opaqueData[1] = static_cast<char>(board.opaqueData[1] + 1);
  EXPECT_EQ(call("nvmlGetVgpuCompatibility", &vgpu, &board, &answer), kSuccess);
  EXPECT_EQ(answer.vgpuVmCompatibility, 0);
  vgpu.opaqueDataSize = ~0U;
  EXPECT_EQ(call("nvmlGetVgpuCompatibility", &vgpu, &board, &answer), kInvalidArgument);
}

// A store that somebody damaged: lists longer than they are, and vGPUs of GPUs and types that are none.
TEST_F(VgpuHost, ADamagedListHarmsNobody) {
  machine.change_node([](Node& node) {
    node.vgpu.instances.count = ~0U;
    node.vgpu.types.count = ~0U;
    node.vgpu.encoder_sessions.count = ~0U;
    node.vgpu.schedulers.count = ~0U;
    for (auto& each : node.vgpu.instances.items) {
      each.gpu.set(0);
      each.type.set(470);
      each.placement.set(~0U);
    }
    node.vgpu.instances.items[0].gpu.set(~0U);
  });
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetActiveVgpus", gpu(), &count, nullptr), kInsufficientSize);
  EXPECT_LE(count, 128U);
  EXPECT_EQ(call("nvmlDeviceGetCreatableVgpus", gpu(), &count, nullptr), kSuccess);
  nvml::abi::nvmlVgpuSchedulerLog_t log{};
  EXPECT_EQ(call("nvmlDeviceGetVgpuSchedulerLog", gpu(), &log), kSuccess);
  EXPECT_LE(log.entriesCount, 200U);
}

}  // namespace
}  // namespace nvmlab::driver_test
