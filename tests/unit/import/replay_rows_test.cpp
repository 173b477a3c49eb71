// SPDX-License-Identifier: Apache-2.0
//
// The tables that read recordings: names in them are names of functions, enumerators and fields, and the generated ones
// say what model/meaning says.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "compiler/paths.hpp"
#include "import/recording/recording.hpp"
#include "import/replay/rows.hpp"

namespace nvmlab::importer::replay {
namespace {

// Also of a member of the records in a list: "nvlink.links.speed_mbps".
bool is_field(std::string_view path) {
  if (compiler::find_field(path)) return true;
  const auto dot = path.rfind('.');
  const auto list = compiler::find_field(path.substr(0, dot));
  return list && list->field->record != nullptr &&
         compiler::find_member(*list->field->record, path.substr(dot + 1)) != nullptr;
}

void check_row(const OutputRow& row) {
  SCOPED_TRACE(std::string(row.function) + " " + std::string(row.when));
  EXPECT_TRUE(find_function(row.function) != nullptr);
  EXPECT_TRUE(is_field(row.field)) << row.field;
  EXPECT_FALSE(row.output.empty());
  EXPECT_GT(row.per, 0U);
  for (auto when = row.when; !when.empty();) {
    const auto end = std::min(when.find(' '), when.size());
    const auto wanted = when.substr(0, end).substr(when.find('=') + 1);
    EXPECT_TRUE(recording::enumerator(wanted).has_value()) << wanted;
    when.remove_prefix(std::min(end + 1, when.size()));
  }
}

template <class Row>
void check_member(const Row& row, std::string_view member) {
  SCOPED_TRACE(std::string(row.function) + " " + std::string(row.when));
  EXPECT_TRUE(find_function(row.function) != nullptr);
  const auto list = compiler::find_field(row.list);
  ASSERT_TRUE(list.has_value()) << row.list;
  const auto* record = list->field->record;
  if (!row.inner.empty()) {
    const Field* inner = compiler::find_member(*record, row.inner);
    ASSERT_NE(inner, nullptr) << row.inner;
    record = inner->record;
  }
  EXPECT_TRUE(member.empty() || compiler::find_member(*record, member) != nullptr) << member;
}

const OutputRow* find(std::string_view function, std::string_view output, std::string_view when = {}) {
  const auto rows = read_outputs();
  const auto found = std::ranges::find_if(
      rows, [&](const auto& row) { return row.function == function && row.output == output && row.when == when; });
  return found == rows.end() ? nullptr : &*found;
}

TEST(ReplayRows, NameFunctionsEnumeratorsAndFields) {
  ASSERT_GE(read_outputs().size(), 150U);
  for (const OutputRow& row : read_outputs())
    check_row(row);
  for (const OutputRow& row : checked_outputs())
    check_row(row);
  for (const OutputRow& row : call_outputs())
    check_row(row);
  for (const FieldIdRow& row : field_ids()) {
    EXPECT_TRUE(recording::enumerator(row.name).has_value()) << row.name;
    for (const auto field : row.fields)
      EXPECT_TRUE(field.empty() || is_field(field)) << row.name << ": " << field;
  }
  for (const GpmRow& row : gpm_metrics()) {
    EXPECT_TRUE(recording::enumerator(row.name).has_value()) << row.name;
    for (const auto field : row.fields)
      EXPECT_TRUE(field.empty() || is_field(field)) << row.name << ": " << field;
  }
}

TEST(ReplayRows, NameListsAndTheirMembers) {
  ASSERT_GE(item_rows().size(), 50U);
  for (const ItemRow& row : item_rows()) {
    check_member(row, row.member);
    EXPECT_FALSE(row.item.empty() || row.output.empty() || row.member.empty()) << row.function;
  }
  ASSERT_GE(list_rows().size(), 50U);
  for (const ListRow& row : list_rows()) {
    check_member(row, row.member);
    EXPECT_FALSE(row.items.empty()) << row.function;
    EXPECT_TRUE(row.rest.empty() || recording::enumerator(row.rest)) << row.rest;
  }
  for (const LengthRow& row : length_rows())
    EXPECT_TRUE(compiler::find_field(row.list).has_value()) << row.list;
}

TEST(ReplayRows, AnotherNameOfAFunctionHasItsOwnParameters) {
  const auto* row = find("nvmlDeviceGetCurrentClocksThrottleReasons", "clocksThrottleReasons");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->field, "clocks.event_reasons");
}

TEST(ReplayRows, AnEnumeratorChoosesTheField) {
  const auto* row = find("nvmlDeviceGetMaxClockInfo", "clock", "type=NVML_CLOCK_MEM");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->field, "clocks.max_memory_mhz");
  EXPECT_EQ(find("nvmlDeviceGetApplicationsClock", "clockMHz", "clockType=NVML_CLOCK_VIDEO"), nullptr)
      << "no board has that field";
}

TEST(ReplayRows, IdsKnowTheirScopesAndUnits) {
  const auto id = [](std::string_view name) { return *std::ranges::find(field_ids(), name, &FieldIdRow::name); };
  EXPECT_EQ(id("NVML_FI_DEV_POWER_AVERAGE").source, FieldSource::scoped);
  EXPECT_EQ(id("NVML_FI_DEV_POWER_AVERAGE").fields[1], "power.module_draw_average_mw");
  EXPECT_EQ(id("NVML_FI_DEV_PERF_POLICY_POWER").times, 1000U);
  EXPECT_EQ(id("NVML_FI_DEV_NVLINK_SPEED_MBPS_L3").number, 3U);
  EXPECT_EQ(id("NVML_FI_DEV_NVLINK_SPEED_MBPS_L3").fields[0], "nvlink.links.speed_mbps");
}

}  // namespace
}  // namespace nvmlab::importer::replay
