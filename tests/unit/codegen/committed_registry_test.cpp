// SPDX-License-Identifier: Apache-2.0
// The committed facts against the history that was measured independently (facts/nvml-api.md: 2.1, 3, 3.2). The numbers
// stand here because they are facts about NVIDIA's headers; docs/decisions/0003-facts-registry.md tells where and why
// counts differ.
#include <gtest/gtest.h>

#include <set>

#include "codegen/model/inputs.hpp"
#include "codegen/model/struct_version.hpp"
#include "tests/unit/codegen/support/support.hpp"

namespace nvmlab::codegen {
namespace {

Release release(std::string_view version) {
  auto found = view(test::committed_registry(), version);
  EXPECT_TRUE(found) << found.error().text();
  return found ? std::move(*found) : Release{};
}

std::size_t count_if(const auto& range, auto&& predicate) {
  return static_cast<std::size_t>(std::ranges::count_if(range, predicate));
}

std::size_t macros_of(const Release& header, MacroKind kind) {
  return count_if(header.macros, [&](const Macro& macro) { return macro.kind == kind; });
}

TEST(CommittedRegistry, CountsOf13_3_29) {
  const Release header = release("13.3.29");
  const Counts counts = count(header);
  EXPECT_EQ(counts.functions, 413U);
  EXPECT_EQ(counts.guarded_functions, 23U);
  EXPECT_EQ(counts.deprecated_functions, 29U);
  EXPECT_EQ(counts.structs, 155U);
  EXPECT_EQ(counts.unions, 4U);
  EXPECT_EQ(counts.enums, 62U);
  EXPECT_EQ(counts.enumerators, 690U);
  EXPECT_EQ(counts.handles, 7U);
  EXPECT_EQ(counts.macros, 739U);
  EXPECT_EQ(counts.typedefs, 52U + 10U + 1U) << "aliases, scalars, and the second declarator of nvmlProcessInfo_v2_t";
  EXPECT_EQ(count_if(header.functions, [](const Function& f) { return f.returns.text() != "nvmlReturn_t"; }), 1U);
  EXPECT_EQ(count_if(header.records, [](const Record& r) { return !r.is_union && r.tag.empty(); }), 88U);
  EXPECT_EQ(count_if(header.records, [](const Record& r) { return r.is_union && r.tag.empty(); }), 3U);
  EXPECT_EQ(count_if(header.records, [](const Record& r) { return r.has_version(); }), 67U);
  EXPECT_EQ(count_if(header.enums, [](const Enum& e) { return e.tag.empty(); }), 10U);
  std::size_t nested = 0;
  for (const Record& record : header.records)
    nested += count_if(record.fields, [](const Field& f) { return !f.nested.empty(); });
  EXPECT_EQ(nested, 8U);
}

TEST(CommittedRegistry, MacrosOf13_3_29) {
  const Release header = release("13.3.29");
  EXPECT_EQ(macros_of(header, MacroKind::struct_version), 65U);
  EXPECT_EQ(macros_of(header, MacroKind::string), 3U);
  EXPECT_EQ(macros_of(header, MacroKind::bit_range), 2U);
  EXPECT_EQ(macros_of(header, MacroKind::function_like), 13U);
  EXPECT_EQ(count_if(header.macros, [](const Macro& m) { return m.name.starts_with("NVML_FI_"); }), 305U);
  const auto upgrades = count_if(header.macros, [&](const Macro& m) {
    return m.unguarded && find(header.functions, m.text) && find(header.functions, m.name);
  });
  EXPECT_EQ(upgrades, 17U) << "functions that are upgraded in silence";
  EXPECT_EQ(count_if(header.macros, [](const Macro& m) { return m.unguarded; }), 20U)
      << "and three that rename Blacklist";
}

struct Row {
  const char* version;
  std::size_t functions;
};

// Functions by header, as the independent count of go-nvml's imports has them.
TEST(CommittedRegistry, FunctionsByRelease) {
  constexpr Row table[] = {
      {"11.0", 234},     {"11.1", 239},     {"11.2.0", 242},   {"11.2.2", 243},  {"11.3.58", 245}, {"11.4.120", 251},
      {"11.5.50", 254},  {"11.6.55", 268},  {"11.7.50", 282},  {"11.8.86", 295}, {"12.0.76", 309}, {"12.1.105", 305},
      {"12.2.140", 327}, {"12.3.101", 329}, {"12.4.127", 347}, {"12.5.82", 351}, {"12.6.77", 353}, {"12.8.90", 373},
      {"12.9.40", 387},  {"13.0.39", 396},  {"13.1.115", 402}, {"13.2.82", 410}, {"13.3.29", 413},
  };
  for (const Row& row : table)
    EXPECT_EQ(release(row.version).functions.size(), row.functions) << row.version;
}

std::set<std::string> function_names(std::string_view version) {
  std::set<std::string> names;
  for (const Function& function : release(version).functions)
    names.insert(function.name);
  return names;
}

TEST(CommittedRegistry, NamesEverAndGone) {
  std::set<std::string> ever;
  for (const ReleaseInfo& info : test::committed_registry().releases) {
    if (compare_versions(info.version, "13.3.29") <= 0) ever.merge(function_names(info.version));
  }
  EXPECT_EQ(ever.size(), 420U);
  const std::set<std::string> now = function_names("13.3.29");
  std::set<std::string> gone;
  std::ranges::set_difference(ever, now, std::inserter(gone, gone.end()));
  EXPECT_EQ(gone, (std::set<std::string>{"nvmlDeviceCcuGetStreamState", "nvmlDeviceCcuSetStreamState",
                                         "nvmlDeviceGetPowerMode", "nvmlDeviceGetSupportedPowerModes",
                                         "nvmlDeviceSetPowerMode", "nvmlGetBlacklistDeviceCount",
                                         "nvmlGetBlacklistDeviceInfoByIndex"}));
}

TEST(CommittedRegistry, FunctionsThatLeftAndCameBack) {
  for (const char* name : {"nvmlDeviceGetVgpuSchedulerCapabilities", "nvmlDeviceGetVgpuSchedulerLog",
                           "nvmlDeviceGetVgpuSchedulerState", "nvmlDeviceSetVgpuSchedulerState"}) {
    const auto* spans = history(test::committed_registry().functions, name);
    ASSERT_NE(spans, nullptr) << name;
    EXPECT_EQ(at_release(*spans, "12.1.105"), nullptr) << name;
    EXPECT_NE(at_release(*spans, "12.0.76"), nullptr) << name;
    EXPECT_NE(at_release(*spans, "12.2.140"), nullptr) << name;
  }
}

std::uint64_t macro_value(std::string_view name, std::string_view version) {
  const auto* spans = history(test::committed_registry().macros, name);
  const Macro* macro = spans == nullptr ? nullptr : at_release(*spans, version);
  return macro != nullptr && macro->value ? macro->value->bits : ~0ULL;
}

TEST(CommittedRegistry, ConstantsThatMoved) {
  const char* smoothing = "NVML_FI_PWR_SMOOTHING_ENABLED";
  EXPECT_EQ(macro_value(smoothing, "12.8.90"), 251U);
  EXPECT_EQ(macro_value(smoothing, "12.9.40"), 256U);
  EXPECT_EQ(macro_value(smoothing, "13.0.39"), 256U);
  EXPECT_EQ(macro_value(smoothing, "13.0.87"), 251U) << "moved back within 13.0";
  EXPECT_EQ(macro_value(smoothing, "13.1.115"), 251U);
  EXPECT_EQ(macro_value("NVML_NVLINK_MAX_LINKS", "11.2.2"), 12U);
  EXPECT_EQ(macro_value("NVML_NVLINK_MAX_LINKS", "12.0.76"), 18U);
  EXPECT_EQ(macro_value("NVML_NVLINK_MAX_LINKS", "13.3.29"), 36U);
  EXPECT_EQ(macro_value("NVML_CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MAX", "12.4.127"), 75U);
  EXPECT_EQ(macro_value("NVML_CC_KEY_ROTATION_THRESHOLD_ATTACKER_ADVANTAGE_MAX", "13.3.29"), 65U);
}

TEST(CommittedRegistry, FieldIds199And200WereSwappedForAWhile) {
  std::vector<std::string> of_199;
  for (const char* version : {"12.4.127", "12.5.82", "12.6.77", "12.8.90"}) {
    for (const Macro& macro : release(version).macros) {
      if (macro.name.starts_with("NVML_FI_") && macro.value && macro.value->bits == 199) of_199.push_back(macro.name);
    }
  }
  ASSERT_EQ(of_199.size(), 4U);
  EXPECT_EQ(of_199[0], of_199[3]);
  EXPECT_EQ(of_199[1], of_199[2]);
  EXPECT_NE(of_199[0], of_199[1]);
}

TEST(CommittedRegistry, VersionWordsFollowTheFormula) {
  for (const ReleaseInfo& info : test::committed_registry().releases) {
    const Release header = release(info.version);
    for (const Macro& macro : header.macros) {
      if (macro.kind != MacroKind::struct_version) continue;
      const auto version = struct_version_of(macro);
      ASSERT_TRUE(version) << macro.name;
      const Record* record = find(header.records, version->record);
      ASSERT_NE(record, nullptr) << info.version << " " << macro.name;
      EXPECT_EQ(version->word(record->size), macro.value->bits) << info.version << " " << macro.name;
    }
  }
}

TEST(CommittedRegistry, RecordsAreWhole) {
  for (const ReleaseInfo& info : test::committed_registry().releases) {
    for (const Record& record : release(info.version).records) {
      std::uint64_t end = 0;
      for (const Field& field : record.fields) {
        EXPECT_LE(field.offset + field.size, record.size) << info.version << " " << record.name << "." << field.name;
        EXPECT_TRUE(record.is_union ? field.offset == 0 : field.offset >= end)
            << info.version << " " << record.name << "." << field.name;
        end = field.offset + field.size;
      }
      EXPECT_EQ(record.size % record.align, 0U) << record.name;
    }
  }
}

TEST(CommittedRegistry, AllFunctionNamesAreTheUnion) {
  const auto drivers = load_drivers(test::source_folder() / "model" / "facts" / "drivers.json");
  ASSERT_TRUE(drivers);
  const std::vector<std::string> names = all_function_names(test::committed_registry(), *drivers);
  EXPECT_TRUE(std::ranges::is_sorted(names));
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
  for (const char* name :
       {"nvmlInit", "nvmlInternalGetExportTable", "nvmlGetBlacklistDeviceCount", "nvmlSystemGetCPER_v1"}) {
    EXPECT_TRUE(std::ranges::binary_search(names, name)) << name;
  }
  for (const auto& [symbol, versions] : drivers->symbols)
    EXPECT_TRUE(std::ranges::binary_search(names, symbol)) << symbol;
}

TEST(CommittedRegistry, SaysNothingInNvidiasWords) {
  for (const auto& [name, spans] : test::committed_registry().macros) {
    for (const auto& span : spans) {
      EXPECT_EQ(span.definition.text.find("//"), std::string::npos) << name;
      EXPECT_EQ(span.definition.text.find("/*"), std::string::npos) << name;
      EXPECT_LT(span.definition.text.size(), 1200U) << name;
    }
  }
}

}  // namespace
}  // namespace nvmlab::codegen
