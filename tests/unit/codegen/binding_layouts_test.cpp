// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/nvml/layouts.hpp"

#include <gtest/gtest.h>

#include "codegen/io/files.hpp"

namespace {

using namespace nvmlab::codegen;

// The layout of a function's struct, by the name of its parameter.
std::string layout(const std::string& function, const std::string& parameter) {
  static const Inputs inputs = *load_inputs(*find_root(std::getenv("NVMLAB_SOURCE_DIR")));
  static const Plan plan = *load_plan(inputs);
  const Method* method = plan.find(function);
  if (method == nullptr) return "no such function";
  for (const MethodParameter& each : method->parameters) {
    if (each.c.name == parameter) return methods::layout_of(inputs, plan, *method, each);
  }
  return "no such parameter";
}

TEST(BindingLayouts, TheNewestFunctionHasTheStructOfToday) {
  EXPECT_EQ(layout("nvmlDeviceGetAttributes_v2", "attributes"), "nvmlDeviceAttributes_t");
  EXPECT_EQ(layout("nvmlDeviceGetComputeRunningProcesses_v3", "infos"), "nvmlProcessInfo_v2_t") << "by its own name";
  EXPECT_EQ(layout("nvmlDeviceGetUtilizationRates", "utilization"), "nvmlUtilization_t") << "a family of one";
}

TEST(BindingLayouts, AnOlderOneHasThatOfItsTime) {
  EXPECT_EQ(layout("nvmlDeviceGetAttributes", "attributes"), "historic::nvmlDeviceAttributes_t_before_11_1");
  EXPECT_EQ(layout("nvmlComputeInstanceGetInfo", "info"), "historic::nvmlComputeInstanceInfo_t_before_11_2_0");
  EXPECT_EQ(layout("nvmlVgpuInstanceGetLicenseInfo", "licenseInfo"), "historic::nvmlVgpuLicenseInfo_t_before_11_6_55");
  for (const char* version : {"", "_v2", "_v3"})
    EXPECT_EQ(layout(std::string("nvmlDeviceGetGridLicensableFeatures") + version, "pGridLicensableFeatures"),
              "historic::nvmlGridLicensableFeatures_t_before_11_4_120");
}

TEST(BindingLayouts, UnlessItsTypeIsNamedForIt) {
  EXPECT_EQ(layout("nvmlDeviceGetComputeRunningProcesses", "infos"), "nvmlProcessInfo_v1_t");
  EXPECT_EQ(layout("nvmlDeviceGetComputeRunningProcesses_v2", "infos"), "nvmlProcessInfo_v2_t");
  EXPECT_EQ(layout("nvmlDeviceGetPciInfo_v2", "pci"), "nvmlPciInfo_t") << "which has not changed since 11.0";
}

}  // namespace
