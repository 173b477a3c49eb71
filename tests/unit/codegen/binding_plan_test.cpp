// SPDX-License-Identifier: Apache-2.0
// The plan of the binding: what shape, class and name each function's method has, and when the generator stops.
#include "codegen/binding/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <set>

#include "codegen/binding/names.hpp"
#include "codegen/emit/nvml/methods.hpp"
#include "codegen/io/files.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen::test {
namespace {

const Inputs& inputs() {
  static const auto loaded = load_inputs(source_folder());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

const Plan& plan() {
  static const auto loaded = load_plan(inputs());
  EXPECT_TRUE(loaded) << loaded.error().text();
  return *loaded;
}

Function function_of(const std::string& name, std::vector<Parameter> parameters) {
  return {name, Type{"nvmlReturn_t", false, 0}, std::move(parameters), "", false};
}

std::optional<Shape> shape_of(const Function& function, const FunctionRow* row = nullptr) {
  const auto classified = classify(function, inputs().newest, row);
  return classified ? std::optional{classified->shape} : std::nullopt;
}

// Header 13.3.29 was classified by hand; without rows no struct has keys and nothing is written by hand, so that
// classes 15 and 17 count among 14, 16 and 18 here.
TEST(BindingShape, CountsOfAReleaseThatWasReadByHand) {
  const auto release = view(inputs().registry, "13.3.29");
  ASSERT_TRUE(release);
  const auto made = make_plan(*release, {});
  ASSERT_TRUE(made) << made.error().text();
  std::map<Shape, int> counts;
  for (const Method& method : made->methods)
    ++counts[method.shape];
  EXPECT_EQ(made->methods.size(), 413U);
  EXPECT_EQ(counts[Shape::lifecycle], 3);
  EXPECT_EQ(counts[Shape::error_text], 1);
  EXPECT_EQ(counts[Shape::command], 47);
  EXPECT_EQ(counts[Shape::pointed_scalar], 2);
  EXPECT_EQ(counts[Shape::scalar], 108);
  EXPECT_EQ(counts[Shape::scalars], 24);
  EXPECT_EQ(counts[Shape::object], 19);
  EXPECT_EQ(counts[Shape::text], 15);
  EXPECT_EQ(counts[Shape::text_sized], 4);
  EXPECT_EQ(counts[Shape::text_fixed], 1);
  EXPECT_EQ(counts[Shape::list], 35);
  EXPECT_EQ(counts[Shape::sized_array], 4);
  EXPECT_EQ(counts[Shape::filled_array], 2);
  EXPECT_EQ(counts[Shape::record] + counts[Shape::keyed_record], 56 + 8);
  // nvmlSystemEventSetFree is a command here, as long as no row says that its struct has a key.
  EXPECT_EQ(counts[Shape::versioned_record] + counts[Shape::keyed_versioned_record], 31 + 10 - 1);
  EXPECT_EQ(counts[Shape::versioned_input], 15 + 1);
  EXPECT_EQ(counts[Shape::record_input], 13);
  EXPECT_EQ(counts[Shape::embedded_list], 13);
  EXPECT_EQ(counts[Shape::blob], 2);
}

TEST(BindingShape, EveryKnownReleaseHasAPlan) {
  const auto views = all_views(inputs().registry);
  ASSERT_TRUE(views);
  for (const Release& release : *views) {
    const auto made = make_plan(release, {});
    EXPECT_TRUE(made) << release.version << ": " << made.error().text();
  }
}

TEST(BindingShape, ByTypesAndNames) {
  const Parameter device{"device", {"nvmlDevice_t", false, 0}};
  const Parameter number{"value", {"unsigned int", false, 1}};
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, number})), Shape::scalar);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceSetX", {device, number})), Shape::pointed_scalar);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, number, number})), Shape::scalars);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, {"unit", {"nvmlUnit_t", false, 1}}})), Shape::object);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, {"text", {"char", false, 1}}})), Shape::text_fixed);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, {"memory", {"nvmlMemory_t", false, 1}}})), Shape::record);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceGetX", {device, {"memory", {"nvmlMemory_v2_t", false, 1}}})),
            Shape::versioned_record);
  EXPECT_EQ(shape_of(function_of("nvmlDeviceSetX", {device, {"memory", {"nvmlMemory_v2_t", false, 1}}})),
            Shape::versioned_input);
}

TEST(BindingShape, RowsHaveTheLastWord) {
  const Function function =
      function_of("nvmlDeviceGetX", {{"device", {"nvmlDevice_t", false, 0}}, {"memory", {"nvmlMemory_t", false, 1}}});
  FunctionRow row;
  row.keys = {"total"};
  EXPECT_EQ(shape_of(function, &row), Shape::keyed_record);
  row.keys.clear();
  row.roles["memory"] = "in";
  EXPECT_EQ(shape_of(function, &row), Shape::record_input);
  row.shape = "hand";
  EXPECT_EQ(shape_of(function, &row), Shape::hand);
}

TEST(BindingShape, WhatFitsNoShapeStopsTheGenerator) {
  Release release = inputs().newest;
  Function strange = function_of("nvmlDeviceGetNothingKnown",
                                 {{"one", {"nvmlDevice_t", false, 1}}, {"other", {"nvmlUnit_t", false, 1}}});
  release.functions = {strange};
  const auto made = make_plan(release, {});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message,
            "nvmlDeviceGetNothingKnown fits no shape of codegen/binding/shape.hpp: give it a row with `shape: hand`, "
            "or a shape of its own");
  strange.returns = {"float", false, 0};
  EXPECT_EQ(shape_of(strange), std::nullopt);
}

TEST(BindingPlan, ClassesFollowTheFirstParameter) {
  EXPECT_EQ(plan().find("nvmlDeviceGetName")->class_name, "Device");
  EXPECT_EQ(plan().find("nvmlSystemGetDriverVersion")->class_name, "Library");
  EXPECT_EQ(plan().find("nvmlVgpuInstanceGetUUID")->class_name, "VgpuInstance");
  EXPECT_EQ(plan().find("nvmlGpmSampleGet")->class_name, "Device");
  EXPECT_EQ(plan().find("nvmlVgpuTypeGetName")->receiver()->c.name, "vgpuTypeId");
  EXPECT_EQ(plan().find("nvmlSystemGetDriverVersion")->receiver(), nullptr);
  EXPECT_EQ(plan().find("nvmlNoSuchThing"), nullptr);
}

TEST(BindingPlan, FamiliesAreNewestFirst) {
  for (const Family& family : plan().families()) {
    if (family.base != "nvmlDeviceGetGpuFabricInfo") continue;
    ASSERT_EQ(family.members.size(), 3U);
    EXPECT_EQ(family.members[0]->function->name, "nvmlDeviceGetGpuFabricInfo_v4");
    EXPECT_EQ(family.members[1]->suffix, "_v3");  // of its struct
    EXPECT_EQ(family.members[2]->function->name, "nvmlDeviceGetGpuFabricInfo");
    return;
  }
  FAIL() << "no family of nvmlDeviceGetGpuFabricInfo";
}

TEST(BindingPlan, EveryFunctionOfTheNewestHeaderIsInExactlyOneFamily) {
  std::multiset<std::string> seen;
  for (const Family& family : plan().families()) {
    for (const Method* method : family.members)
      seen.insert(method->function->name);
  }
  EXPECT_EQ(seen.size(), inputs().newest.functions.size());
  for (const Function& function : inputs().newest.functions)
    EXPECT_EQ(seen.count(function.name), 1U) << function.name;
}

// "nvmlDeviceGetFanSpeed_v2" of Device -> "fanspeed": the rule of docs/guide/binding.md, letter by letter.
std::string letters_by_rule(std::string name, const std::string& class_name) {
  name = name.substr(4, name.find("_v") - 4);
  if (name.size() > 1 && name.back() == 'V' && (std::islower(name[name.size() - 2]) != 0 || name.ends_with("UUIDV")))
    name.pop_back();
  const std::string before = class_name == "Library" ? "System" : class_name;
  if (name.starts_with(before)) name.erase(0, before.size());
  if (name.starts_with("Get")) name.erase(0, 3);
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name;
}

// docs/reference/generated/binding-names.md lists each method whose name is not the one by the rule, and no other.
TEST(BindingNames, FollowTheRuleOrAreListed) {
  const auto page = read_file(source_folder() / "docs/reference/generated/binding-names.md");
  ASSERT_TRUE(page);
  const auto at = page->find("## Names of their own");
  ASSERT_NE(at, std::string::npos);
  std::string listed = page->substr(at);
  std::ranges::replace(listed, '\n', ' ');
  std::size_t by_rule = 0;
  for (const Method& method : plan().methods) {
    std::string letters = method.name;
    std::erase(letters, '_');
    const bool follows = letters == letters_by_rule(method.function->name, method.class_name);
    by_rule += follows ? 1 : 0;
    EXPECT_NE(listed.contains("| `" + method.function->name + "` |"), follows) << method.function->name;
  }
  EXPECT_NE(listed.find(std::to_string(by_rule) + " of " + std::to_string(plan().methods.size()) + " functions"),
            std::string::npos)
      << by_rule;
  std::cout << by_rule << " of " << plan().methods.size() << " names follow the rule, the others are listed\n";
}

TEST(BindingNames, Words) {
  EXPECT_EQ(words_of("GetNvLinkRemotePciInfo"), "get_nvlink_remote_pci_info");
  EXPECT_EQ(words_of("BAR1MemoryInfo"), "bar1_memory_info");
  EXPECT_EQ(words_of("MinMaxClockOfPState"), "min_max_clock_of_pstate");
  EXPECT_EQ(words_of("UUID"), "uuid");
  EXPECT_EQ(words_of("C2cModeInfo"), "c2c_mode_info");
  EXPECT_EQ(words_of("FBCSessions"), "fbc_sessions");
  EXPECT_EQ(parameter_name("pPlacementList"), "placement_list");
  EXPECT_EQ(parameter_name("pState"), "pstate");
  EXPECT_EQ(parameter_name("default"), "default_");
}

TEST(BindingNames, Versions) {
  EXPECT_EQ(versioned_name("nvmlDeviceGetPciInfo_v3").base, "nvmlDeviceGetPciInfo");
  EXPECT_EQ(versioned_name("nvmlDeviceGetPciInfo_v3").version, 3U);
  EXPECT_EQ(versioned_name("nvmlDeviceGetPciInfo_v3").suffix, "_v3");
  EXPECT_EQ(versioned_name("nvmlDeviceGetTemperatureV").base, "nvmlDeviceGetTemperature");
  EXPECT_EQ(versioned_name("nvmlDeviceGetHandleByUUIDV").base, "nvmlDeviceGetHandleByUUID");
  EXPECT_EQ(versioned_name("nvmlDeviceGetName").suffix, "");
}

TEST(BindingNames, Methods) {
  EXPECT_EQ(method_name("nvmlDeviceGetPowerUsage", "Device"), "power_usage");
  EXPECT_EQ(method_name("nvmlDeviceSetPersistenceMode", "Device"), "set_persistence_mode");
  EXPECT_EQ(method_name("nvmlSystemGetDriverVersion", "Library"), "driver_version");
  EXPECT_EQ(method_name("nvmlUnitGetCount", "Library"), "unit_count");
  EXPECT_EQ(method_name("nvmlUnitGetHandleByIndex", "Library"), "unit");
  EXPECT_EQ(method_name("nvmlDeviceGetHandleByUUID", "Library"), "device_by_uuid");
  EXPECT_EQ(method_name("nvmlEventSetCreate", "Library"), "create_event_set");
  EXPECT_EQ(method_name("nvmlGpuInstanceDestroy", "GpuInstance"), "destroy");
  EXPECT_EQ(method_name("nvmlVgpuTypeGetLicense", "VgpuType"), "license");
}

}  // namespace
}  // namespace nvmlab::codegen::test
