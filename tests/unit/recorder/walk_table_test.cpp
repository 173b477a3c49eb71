// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "nvmlab/loader/function_names.hpp"
#include "recorder/walk_row.hpp"

namespace nvmlab::recorder {
namespace {

const Function* find(std::string_view name) {
  const auto at = std::ranges::find(functions, name, [](const Function& row) { return std::string_view(row.name); });
  return at == functions.end() ? nullptr : &*at;
}

void check(const Record& record, unsigned depth) {
  ASSERT_LT(depth, 12u) << record.name;
  for (const Field& field : record.fields) {
    SCOPED_TRACE(std::string(record.name) + "." + field.name);
    const std::uint64_t inside = field.behind ? 8 : std::uint64_t{field.size} * (field.extent == 0 ? 1 : field.extent);
    EXPECT_LE(field.offset + inside, record.size);
    EXPECT_LT(field.counted_by, static_cast<int>(record.fields.size()));
    EXPECT_EQ(field.kind == Kind::enumerator, field.names != nullptr);
    EXPECT_EQ(field.kind == Kind::record, field.record != nullptr);
    if (field.record != nullptr) check(*field.record, depth + 1);
  }
}

TEST(WalkTable, HasGettersAlone) {
  EXPECT_GE(functions.size(), 290u);
  for (const Function& row : functions) {
    const std::string name = row.name;
    for (const char* verb : {"Set", "Clear", "Create", "Destroy", "Reset", "Register", "Free", "Alloc", "Inject"}) {
      const std::size_t at = name.find(verb);
      const bool word = at != std::string::npos && (name[at + std::string(verb).size()] < 'a');
      EXPECT_FALSE(word && name.find("Get") == std::string::npos) << name;
    }
    EXPECT_LE(row.parameters.size(), 6u) << name;
  }
  EXPECT_EQ(find("nvmlDeviceSetPersistenceMode"), nullptr);
  EXPECT_EQ(find("nvmlDeviceCreateGpuInstance"), nullptr);
  EXPECT_EQ(find("nvmlDeviceReadWritePRM_v1"), nullptr);
  EXPECT_EQ(find("nvmlInit_v2"), nullptr);
}

TEST(WalkTable, IsInTheOrderOfNames) {
  EXPECT_TRUE(std::ranges::is_sorted(functions, {}, [](const Function& row) { return std::string_view(row.name); }));
  EXPECT_TRUE(std::ranges::is_sorted(nvml::detail::function_names, {},
                                     [](const char* name) { return std::string_view(name); }));
  for (const Function& row : functions)
    EXPECT_TRUE(std::ranges::binary_search(nvml::detail::function_names, std::string_view(row.name), {},
                                           [](const char* name) { return std::string_view(name); }))
        << row.name;
}

TEST(WalkTable, MembersLieWithinTheirStructs) {
  for (const Function& row : functions) {
    for (const Parameter& parameter : row.parameters) {
      if (parameter.what.record != nullptr) check(*parameter.what.record, 0);
      EXPECT_EQ(parameter.role == Role::structure, !parameter.versions.empty()) << row.name;
      std::uint32_t last = ~0u;
      for (const Version& version : parameter.versions) {
        check(*version.record, 0);
        EXPECT_LT(version.number, last) << row.name;
        last = version.number;
        if (version.number > 1) {
          EXPECT_EQ(version.word, version.record->size | version.number << 24) << row.name;
        }
        EXPECT_EQ(version.keys.size(), parameter.versions.front().keys.size()) << row.name;
      }
    }
  }
}

TEST(WalkTable, KnowsWhatGoesIn) {
  const Function* clock = find("nvmlDeviceGetClock");
  ASSERT_NE(clock, nullptr);
  ASSERT_EQ(clock->parameters.size(), 4u);
  EXPECT_EQ(clock->parameters[0].role, Role::receiver);
  EXPECT_EQ(clock->parameters[1].input->from, Input::From::names);
  EXPECT_EQ(clock->parameters[2].input->names->all.size(), 4u);
  EXPECT_EQ(clock->parameters[3].role, Role::output);
  const Function* graphics = find("nvmlDeviceGetSupportedGraphicsClocks");
  ASSERT_NE(graphics, nullptr);
  EXPECT_TRUE(graphics->late);
  EXPECT_EQ(graphics->parameters[1].input->from, Input::From::seen);
  const Function* temperature = find("nvmlDeviceGetTemperatureV");
  ASSERT_NE(temperature, nullptr);
  EXPECT_EQ(temperature->parameters[1].versions.front().keys.size(), 1u);
}

TEST(WalkTable, FieldsHaveTheirScopes) {
  const auto scopes = [](std::string_view name) {
    const auto at =
        std::ranges::find(field_ids, name, [](const FieldId& field) { return std::string_view(field.name); });
    return at == field_ids.end() ? 0u : unsigned{at->scopes};
  };
  EXPECT_EQ(scopes("NVML_FI_DEV_ECC_CURRENT"), 1u);
  EXPECT_EQ(scopes("NVML_FI_DEV_NVLINK_GET_SPEED"), 36u);
  EXPECT_EQ(scopes("NVML_FI_DEV_NVLINK_SPEED_MBPS_L3"), 1u);
  EXPECT_GE(scopes("NVML_FI_DEV_POWER_INSTANT"), 2u);
}

}  // namespace
}  // namespace nvmlab::recorder
