// SPDX-License-Identifier: Apache-2.0
// Methods that answer or take a struct: version words, and what happens when the library knows older layouts only.
#include <gtest/gtest.h>

#include <vector>

#include "nvmlab/abi/abi.hpp"
#include "nvmlab/nvml/shapes/keyed.hpp"
#include "nvmlab/nvml/shapes/record.hpp"
#include "tests/binding/support/fake_objects.hpp"

namespace nvml {
namespace {

using nvmlab::binding_test::device_of;
using nvmlab::binding_test::driver_error;

TEST(RecordMethod, PlainStruct) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetUtilizationRates>([](abi::nvmlDevice_t, abi::nvmlUtilization_t* rates) {
    *rates = {41, 17};
    return abi::NVML_SUCCESS;
  });
  const auto rates = device_of(fake).utilization_rates();
  ASSERT_TRUE(rates.has_value());
  EXPECT_EQ(rates->gpu, Percent{41});
  EXPECT_EQ(rates->memory, Percent{17});
}

TEST(RecordMethod, MissingFunctionAndRefusal) {
  Fake fake;
  EXPECT_EQ(device_of(fake).utilization_rates().error().origin(), Origin::symbol);
  fake.set_answer<&Functions::nvmlDeviceGetUtilizationRates>(Return::not_supported);
  EXPECT_EQ(device_of(fake).utilization_rates().error(),
            driver_error(abi::NVML_ERROR_NOT_SUPPORTED, "nvmlDeviceGetUtilizationRates"));
}

TEST(RecordMethod, TheVersionWordIsThere) {
  Fake fake;
  unsigned word = 0;
  fake.set<&Functions::nvmlDeviceGetPciInfoExt>([&](abi::nvmlDevice_t, abi::nvmlPciInfoExt_t* pci) {
    word = pci->version;
    pci->domain = 1;
    pci->bus = 0x1a;
    return abi::NVML_SUCCESS;
  });
  const auto pci = device_of(fake).pci_info_ext();
  ASSERT_TRUE(pci.has_value());
  EXPECT_EQ(word, abi::struct_version::PciInfoExt_v1);
  EXPECT_EQ(pci->bus, 0x1aU);
}

// Newest first; a driver of old says MISMATCH to what it does not know.
TEST(RecordMethod, WalksToTheVersionThatTheDriverKnows) {
  Fake fake;
  std::vector<unsigned> asked;
  fake.set<&Functions::nvmlDeviceGetGpuFabricInfoV>([&](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t* info) {
    asked.push_back(info->version);
    if (info->version != abi::struct_version::GpuFabricInfo_v2) return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
    reinterpret_cast<abi::nvmlGpuFabricInfo_v2_t*>(info)->cliqueId = 77;
    return abi::NVML_SUCCESS;
  });
  const auto info = device_of(fake).gpu_fabric_info_v3();
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(asked,
            (std::vector<unsigned>{abi::struct_version::GpuFabricInfo_v3, abi::struct_version::GpuFabricInfo_v2}));
  asked.clear();
  EXPECT_EQ(device_of(fake).gpu_fabric_info().value(), *info);  // v4 is missing here
  EXPECT_EQ(asked.size(), 2U);
}

TEST(RecordMethod, ADriverThatKnowsNoneSaysSo) {
  Fake fake;
  unsigned calls = 0;
  fake.set<&Functions::nvmlDeviceGetGpuFabricInfoV>([&](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t*) {
    ++calls;
    return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  });
  EXPECT_EQ(device_of(fake).gpu_fabric_info_v3().error(),
            driver_error(abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH, "nvmlDeviceGetGpuFabricInfoV"));
  EXPECT_EQ(calls, 2U);
}

TEST(RecordMethod, OtherErrorsEndTheWalk) {
  Fake fake;
  unsigned calls = 0;
  fake.set<&Functions::nvmlDeviceGetGpuFabricInfoV>([&](abi::nvmlDevice_t, abi::nvmlGpuFabricInfoV_t*) {
    ++calls;
    return abi::NVML_ERROR_NOT_SUPPORTED;
  });
  EXPECT_EQ(device_of(fake).gpu_fabric_info_v3().error().code(), Return::not_supported);
  EXPECT_EQ(calls, 1U);
}

TEST(RecordMethod, AStructInFrontOfAnArgument) {
  Fake fake;
  fake.set<&Functions::nvmlEventSetFree>([](abi::nvmlEventSet_t) { return abi::NVML_SUCCESS; });
  fake.set<&Functions::nvmlEventSetWait_v2>([](abi::nvmlEventSet_t, abi::nvmlEventData_t* data, unsigned timeout) {
    data->eventData = timeout;
    return abi::NVML_SUCCESS;
  });
  const EventSet set{fake.library().library(), nullptr};
  EXPECT_EQ(set.wait(std::chrono::milliseconds{250}).value().data, 250U);
}

TEST(RecordMethod, FamiliesFallBackToOlderFunctions) {
  Fake fake;
  const LibraryMethods library{fake.library().library()};
  fake.set<&Functions::nvmlDeviceGetCount>([](unsigned* count) {
    *count = 1;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(library.device_count().value(), 1U);
  EXPECT_EQ(library.device_count_v2().error().function(), "nvmlDeviceGetCount_v2");
  fake.set<&Functions::nvmlDeviceGetCount_v2>([](unsigned* count) {
    *count = 2;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(library.device_count().value(), 2U);
  EXPECT_EQ(library.device_count_v1().value(), 1U);
}

TEST(RecordMethod, TypedStructsGoInWithTheirVersion) {
  Fake fake;
  abi::nvmlPowerValue_v2_t asked{};
  fake.set<&Functions::nvmlDeviceSetPowerManagementLimit_v2>([&](abi::nvmlDevice_t, abi::nvmlPowerValue_v2_t* value) {
    asked = *value;
    return abi::NVML_SUCCESS;
  });
  PowerValue limit;
  limit.value = Milliwatts{300000};
  EXPECT_TRUE(device_of(fake).set_power_management_limit(limit).has_value());
  EXPECT_EQ(asked.version, abi::struct_version::PowerValue_v2);
  EXPECT_EQ(asked.powerValueMw, 300000U);
}

// A struct of one member is that member, in both directions.
TEST(RecordMethod, SoleMembers) {
  Fake fake;
  std::string name = "node-7";
  fake.set<&Functions::nvmlDeviceGetHostname_v1>([&](abi::nvmlDevice_t, abi::nvmlHostname_v1_t* hostname) {
    name.copy(hostname->value, sizeof hostname->value);
    return abi::NVML_SUCCESS;
  });
  fake.set<&Functions::nvmlDeviceSetHostname_v1>([&](abi::nvmlDevice_t, abi::nvmlHostname_v1_t* hostname) {
    name = hostname->value;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device_of(fake).hostname().value(), "node-7");
  EXPECT_TRUE(device_of(fake).set_hostname("node-8").has_value());
  EXPECT_EQ(device_of(fake).hostname().value(), "node-8");
  fake.remove<&Functions::nvmlDeviceGetHostname_v1>();
  EXPECT_EQ(device_of(fake).hostname().error().origin(), Origin::symbol);
}

TEST(RecordMethod, SoleMembersOfTwoStructs) {
  Fake fake;
  fake.set<&Functions::nvmlDeviceGetDramEncryptionMode>(
      [](abi::nvmlDevice_t, abi::nvmlDramEncryptionInfo_t* current, abi::nvmlDramEncryptionInfo_t* pending) {
        if (current->version != abi::struct_version::DramEncryptionInfo_v1 || pending->version != current->version)
          return abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
        current->encryptionState = abi::NVML_FEATURE_ENABLED;
        pending->encryptionState = abi::NVML_FEATURE_DISABLED;
        return abi::NVML_SUCCESS;
      });
  const auto mode = device_of(fake).dram_encryption_mode();
  ASSERT_TRUE(mode.has_value());
  EXPECT_TRUE(mode->current);
  EXPECT_FALSE(mode->pending);
}

TEST(RecordMethod, SystemEventsComeAsAList) {
  Fake fake;
  fake.set<&Functions::nvmlSystemEventSetFree>([](abi::nvmlSystemEventSetFreeRequest_t*) { return abi::NVML_SUCCESS; });
  fake.set<&Functions::nvmlSystemEventSetWait>([](abi::nvmlSystemEventSetWaitRequest_t* request) {
    if (request->version != abi::struct_version::SystemEventSetWaitRequest_v1 || request->timeoutms != 20)
      return abi::NVML_ERROR_INVALID_ARGUMENT;
    request->data[0].gpuId = 5;
    request->data[1].gpuId = 6;
    request->numEvent = 2;
    return abi::NVML_SUCCESS;
  });
  const SystemEventSet set{fake.library().library(), nullptr};
  const auto events = set.wait(std::chrono::milliseconds{20});
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events->size(), 2U);
  EXPECT_EQ(events->at(1).gpu_id, 6U);
}

// A typed struct that knows where it was filled, and the layouts that it is filled from.
struct Filled {
  const void* at = nullptr;
  unsigned member = 0;
};
template <unsigned Version>
struct Layout {
  unsigned version;
  unsigned member;
};
template <unsigned Version>
void from_c(const Layout<Version>& c, Filled& value) {
  value = {&value, c.member};
}
bool lies_where_it_was_filled(const Result<Filled>& answer) { return answer->at == &*answer; }

}  // namespace
template <>
inline constexpr unsigned detail::version_word<Layout<1>> = 1;
template <>
inline constexpr unsigned detail::version_word<Layout<2>> = 2;
namespace {

// A copy of what was written just now makes the processor wait for longer than the call takes.
TEST(RecordMethod, TheStructIsFilledWhereTheAnswerLies) {
  constexpr auto kSlot = &Functions::nvmlDeviceGetMemoryInfo_v2;
  Fake fake;
  unsigned known = 2;
  fake.set<kSlot>([&](abi::nvmlDevice_t, abi::nvmlMemory_v2_t* memory) {
    return memory->version == known ? abi::NVML_SUCCESS : abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH;
  });
  const detail::State& state = *fake.library().library();
  const abi::nvmlDevice_t device = nvmlab::binding_test::device_handle();
  EXPECT_TRUE(lies_where_it_was_filled(detail::record<Filled, Layout<2>>(state, kSlot, device, detail::here)));
  EXPECT_TRUE(
      lies_where_it_was_filled(detail::record<Filled, Layout<2>, Layout<1>>(state, kSlot, device, detail::here)));
  const auto give = [](Layout<2>& c) { c.member = 7; };
  const auto keyed = detail::keyed_record<Filled, Layout<2>>(state, kSlot, give, device);
  EXPECT_TRUE(lies_where_it_was_filled(keyed));
  EXPECT_EQ(keyed->member, 7U);
  known = 1;
  EXPECT_TRUE((detail::record<Filled, Layout<2>, Layout<1>>(state, kSlot, device, detail::here).has_value()))
      << "the older one";
}

}  // namespace
}  // namespace nvml
