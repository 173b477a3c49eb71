// SPDX-License-Identifier: Apache-2.0
// What an error tells beyond its code: the device, the field, the argument and what is allowed, the driver that is
// needed, and what to do.
#include "nvmlab/loader/advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <span>
#include <sstream>

#include "nvmlab/nvml/generated/field_id.hpp"
#include "nvmlab/nvml/library.hpp"
#include "tests/binding/support/fake_objects.hpp"
#include "tests/binding/support/simulated.hpp"

namespace nvmlab::binding_test {
namespace {

using namespace nvml;
namespace abi = nvml::abi;

nvml::abi::nvmlReturn_t told_name = abi::NVML_SUCCESS;
unsigned names_asked = 0;

class Advice : public testing::Test {
 protected:
  Advice() {
    told_name = abi::NVML_SUCCESS;
    names_asked = 0;
    fake.set<&Functions::nvmlDeviceGetIndex>([](abi::nvmlDevice_t, unsigned* index) {
      *index = 3;
      return told_name;
    });
    fake.set<&Functions::nvmlDeviceGetName>([](abi::nvmlDevice_t, char* name, unsigned) {
      ++names_asked;
      std::strcpy(name, "NVIDIA H100");
      return told_name;
    });
    fake.set<&Functions::nvmlDeviceGetFanSpeed>(
        [](abi::nvmlDevice_t, unsigned*) { return abi::NVML_ERROR_NOT_SUPPORTED; });
    fake.set<&Functions::nvmlDeviceSetPowerManagementLimit>(
        [](abi::nvmlDevice_t, unsigned) { return abi::NVML_ERROR_INVALID_ARGUMENT; });
    fake.set<&Functions::nvmlDeviceGetPowerManagementLimitConstraints>(
        [](abi::nvmlDevice_t, unsigned* least, unsigned* most) {
          *least = 100'000;
          *most = 700'000;
          return abi::NVML_SUCCESS;
        });
    fake.set<&Functions::nvmlSystemGetDriverVersion>([](char* text, unsigned) {
      std::strcpy(text, "470.256.02");
      return abi::NVML_SUCCESS;
    });
  }
  Fake fake;
  Device device = device_of(fake);
};

TEST_F(Advice, TheDeviceHasItsIndexAndName) {
  const Error error = device.fan_speed().error();
  ASSERT_NE(error.device(), nullptr);
  EXPECT_EQ(error.device()->index, 3U);
  EXPECT_EQ(error.device()->name, "NVIDIA H100");
  EXPECT_TRUE(error.message().starts_with(
      "nvmlDeviceGetFanSpeed: Not Supported (the driver's answer), GPU 3 (NVIDIA H100)\nit is documented for "))
      << error.message();
  std::ostringstream stream;
  stream << error;
  EXPECT_EQ(stream.str(), error.message());
}

// What tells versions apart is kept short until it is known to be the answer.
TEST_F(Advice, TheDeviceIsNamedWhereNoVersionOfAStructIsKnown) {
  for (const abi::nvmlReturn_t code : {abi::NVML_ERROR_FUNCTION_NOT_FOUND, abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH}) {
    fake.set_answer<&Functions::nvmlDeviceGetGpuFabricInfoV>(Return{code});
    fake.set_answer<&Functions::nvmlDeviceGetGpuFabricInfo_v4>(Return{code});
    for (const auto& answer : {device.gpu_fabric_info(), device.gpu_fabric_info_v3()}) {
      EXPECT_EQ(answer.error().code(), Return{code});
      ASSERT_NE(answer.error().device(), nullptr) << answer.error().message();
      EXPECT_EQ(answer.error().device()->name, "NVIDIA H100");
    }
    EXPECT_EQ(device.gpu_fabric_info().error().function(), "nvmlDeviceGetGpuFabricInfo_v4");
  }
}

TEST_F(Advice, TheDriverIsAskedForANameOnce) {
  for (int i = 0; i < 5; ++i)
    EXPECT_FALSE(device.fan_speed());
  EXPECT_EQ(names_asked, 1U);
}

TEST_F(Advice, ALostGpuHasTheIndexOfItsPlace) {
  told_name = abi::NVML_ERROR_GPU_IS_LOST;
  EXPECT_EQ(device.fan_speed().error().device(), nullptr) << "nothing is known of it";
  detail::remember_index(*fake.library().library(), device.handle(), 5);
  const Error error = device.fan_speed().error();
  ASSERT_NE(error.device(), nullptr);
  EXPECT_EQ(error.device()->index, 5U);
}

TEST_F(Advice, ARefusedArgumentHasItsValueAndWhatIsAllowed) {
  const auto set = device.set_power_management_limit(Milliwatts{900'000});
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().detail(), "limit is 900000 milliwatts; 100000 to 700000 milliwatts are allowed");
  EXPECT_NE(set.error().message().find("GPU 3"), std::string::npos) << set.error();
}

TEST_F(Advice, ARefusedClockHasItsUnitAndWhereTheAllowedOnesAreListed) {
  fake.set<&Functions::nvmlDeviceSetApplicationsClocks>(
      [](abi::nvmlDevice_t, unsigned, unsigned) { return abi::NVML_ERROR_INVALID_ARGUMENT; });
  EXPECT_EQ(device.set_application_clocks(Megahertz{900}, Megahertz{1}).error().detail(),
            "memClockMHz is 900 megahertz; nvmlDeviceGetSupportedMemoryClocks lists what is allowed\n"
            "graphicsClockMHz is 1 megahertz; nvmlDeviceGetSupportedGraphicsClocks lists what is allowed");
  fake.set<&Functions::nvmlDeviceSetGpuLockedClocks>(
      [](abi::nvmlDevice_t, unsigned, unsigned) { return abi::NVML_ERROR_INVALID_ARGUMENT; });
  EXPECT_EQ(device.set_gpu_locked_clocks(Megahertz{3}, Megahertz{2}).error().detail(),
            "minGpuClockMHz is 3 megahertz\nmaxGpuClockMHz is 2 megahertz");
}

// The driver has a field for the number of links, and no function.
TEST_F(Advice, ARefusedLinkHasTheRangeOfTheBoard) {
  fake.set<&Functions::nvmlDeviceGetNvLinkState>(
      [](abi::nvmlDevice_t, unsigned, abi::nvmlEnableState_t*) { return abi::NVML_ERROR_INVALID_ARGUMENT; });
  EXPECT_EQ(device.nvlink_state(99).error().detail(), "link is 99") << "who does not tell has no range";
  fake.set<&Functions::nvmlDeviceGetFieldValues>([](abi::nvmlDevice_t, int, abi::nvmlFieldValue_t* value) {
    value->nvmlReturn = abi::NVML_SUCCESS;
    value->valueType = abi::NVML_VALUE_TYPE_UNSIGNED_INT;
    value->value.uiVal = value->fieldId == static_cast<unsigned>(FieldId::nvlink_link_count) ? 12 : 0;
    return abi::NVML_SUCCESS;
  });
  EXPECT_EQ(device.nvlink_state(99).error().detail(), "link is 99; 0 to 11 are allowed");
}

TEST_F(Advice, AMissingFunctionNamesTheBranchThatHasItAndTheOneThatIsHere) {
  const Error error = device.gpu_fabric_info().error();
  EXPECT_EQ(error.origin(), Origin::symbol);
  EXPECT_EQ(error.advice().find("needs driver "), 0U) << error.advice();
  EXPECT_NE(error.advice().find("this is driver 470.256"), std::string::npos) << error.advice();
}

TEST_F(Advice, WhereACapabilityIsEnoughTheErrorSaysWhich) {
  fake.set<&Functions::nvmlDeviceCreateGpuInstance>(
      [](abi::nvmlDevice_t, unsigned, abi::nvmlGpuInstance_t*) { return abi::NVML_ERROR_NO_PERMISSION; });
  fake.set<&Functions::nvmlDeviceGetGpuInstanceById>(
      [](abi::nvmlDevice_t, unsigned, abi::nvmlGpuInstance_t*) { return abi::NVML_ERROR_NO_PERMISSION; });
  fake.set<&Functions::nvmlDeviceGetGpuInstanceRemainingCapacity>(
      [](abi::nvmlDevice_t, unsigned, unsigned*) { return abi::NVML_ERROR_NO_PERMISSION; });
  const auto says = [](const Error& error, std::string_view who) {
    EXPECT_TRUE(error.advice().starts_with(std::string{who} + "; ")) << error.advice();
  };
  says(device.create_gpu_instance(0).error(), "needs root or the capability mig-config");
  says(device.gpu_instance_by_id(1).error(), "needs root or the capability mig-monitor");
  says(device.gpu_instance_remaining_capacity(0).error(), "needs root or the capability mig-config or mig-monitor");
}

TEST_F(Advice, TooLittleRoomSaysHowMuchIsNeeded) {
  fake.set<&Functions::nvmlDeviceGetAccountingPids>([](abi::nvmlDevice_t, unsigned* count, unsigned*) {
    *count = 12;
    return abi::NVML_ERROR_INSUFFICIENT_SIZE;
  });
  unsigned room[4] = {};
  const Error error = device.accounting_pids(room).error();
  EXPECT_TRUE(error.message().ends_with("GPU 3 (NVIDIA H100)\nroom was for 4, 12 are needed")) << error;
  const Error untold = error.with_shortage({4, 0});
  EXPECT_TRUE(untold.message().ends_with("\nroom was for 4, more are needed")) << untold;
}

// Whatever a function is, its error has something to go by: all that no driver of old has name a branch, all that have
// a row name boards or reasons as far as the model has them.
TEST(FunctionFacts, AreThereForEachFunction) {
  unsigned branches = 0;
  unsigned boards = 0;
  for (std::size_t i = 0; i < detail::kFunctionCount; ++i) {
    const detail::FunctionFacts& facts = detail::function_facts[i];
    EXPECT_TRUE(*facts.arguments == '\0' || std::string_view{facts.arguments}.ends_with(','));
    EXPECT_TRUE(facts.driver == 0 || (facts.driver >> 16 >= 300 && facts.driver >> 16 < 1000))
        << detail::function_names[i];
    if (facts.driver != 0) ++branches;
    if (*facts.boards != '\0') ++boards;
  }
  EXPECT_GT(branches, 250U);
  EXPECT_GT(boards, 200U);
  std::cout << detail::kFunctionCount << " functions: " << branches << " younger than the first driver, " << boards
            << " with boards, " << detail::reason_count << " reasons, " << detail::range_count << " ranges\n";
}

TEST(Ranges, AreOfFunctionsAndOfNumbersAmongTheirParameters) {
  for (const detail::Range& range : std::span{detail::ranges, detail::range_count}) {
    ASSERT_LT(range.function, detail::kFunctionCount);
    ASSERT_LT(range.asks, detail::kFunctionCount);
    const std::string_view arguments = detail::function_facts[range.function].arguments;
    EXPECT_LT(range.argument, std::count(arguments.begin(), arguments.end(), ','));
  }
}

TEST(Remedies, AreForCodesWhereSomethingCanBeDone) {
  for (const auto code : {abi::NVML_ERROR_NO_PERMISSION, abi::NVML_ERROR_GPU_IS_LOST, abi::NVML_ERROR_DRIVER_NOT_LOADED,
                          abi::NVML_ERROR_LIB_RM_VERSION_MISMATCH, abi::NVML_ERROR_RESET_REQUIRED})
    EXPECT_NE(driver_error(code, "nvmlDeviceGetFanSpeed").advice(), "") << code;
  EXPECT_EQ(driver_error(abi::NVML_ERROR_UNKNOWN, "nvmlDeviceGetFanSpeed").advice(), "");
}

TEST(OnASimulatedNode, TheIndexOutOfRangeNamesTheRange) {
  const Library library = open_simulated();
  const auto count = library.device_count();
  ASSERT_TRUE(count);
  const auto beyond = library.device(*count);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().detail(),
            "index is " + std::to_string(*count) + "; 0 to " + std::to_string(*count - 1) + " are allowed");
}

TEST(OnASimulatedNode, TheLinkOutOfRangeNamesTheRange) {
  const Library library = open_simulated();
  const Device device = library.devices().at(0);
  const auto links = device.field<FieldId::nvlink_link_count>();
  ASSERT_TRUE(links) << links.error();
  const std::string expected = "link is 99; 0 to " + std::to_string(links->value - 1) + " are allowed";
  for (const Error& error :
       {device.nvlink_state(99).error(), device.nvlink_version(99).error(), device.nvlink_remote_pci_info(99).error(),
        device.nvlink_capability(99, NvlinkCapability::valid).error()})
    EXPECT_TRUE(error.detail().starts_with(expected)) << error;
}

TEST(OnASimulatedNode, AFieldNamesItselfAndItsDevice) {
  const Library library = open_simulated();
  const Device device = library.devices().at(1);
  const auto refused = device.field<FieldId::gpu_temp>();
  ASSERT_FALSE(refused);
  ASSERT_NE(refused.error().item(), nullptr);
  EXPECT_STREQ(refused.error().item()->name, "gpu_temp");
  EXPECT_NE(refused.error().message().find("GPU 1"), std::string::npos) << refused.error();
  EXPECT_NE(refused.error().message().find("field gpu_temp"), std::string::npos) << refused.error();
}

}  // namespace
}  // namespace nvmlab::binding_test
