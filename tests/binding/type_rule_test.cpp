// SPDX-License-Identifier: Apache-2.0
// The rule of types (docs/guide/binding.md), over all methods and all members of structs as nvmlgen names them: what is
// a yes or no is a bool, what is a kind, a mode, a flag or a version is a type of its own, and a command answers
// nothing but an error. The exceptions stand here, each with its reason, and none that is no exception any more.
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "nvmlab/nvml/reflect.hpp"
#include "tests/binding/generated/reflected.hpp"
#include "tests/binding/generated/signatures.hpp"

namespace nvml {
namespace {

struct Exception {
  std::string_view what;
  std::string_view reason;
};

// Numbers whose names say that they are more than a number.
constexpr Exception kNumbers[] = {
    {"Device::set_default_auto_boosted_clocks_enabled(flags)", "NVML has no flag for it yet"},
    {"Device::vgpu_capability", "some capabilities are a yes or no, others a number: DeviceVgpuCapability says which"},
    {"BridgeChipInfo::firmware_version", "NVML gives one number and does not say how it is read"},
    {"DevicePowerMizerModes::supported_modes", "a bit for each mode, by the mode's number"},
    {"EccBankRemapperStatus::active_remappings", "how many there are"},
    {"EventContextInfo::source_type", "NVML does not name them"},
    {"EventContextInfo::data_format_version", "one number, which counts formats"},
    {"PciInfoExt::base_class", "the numbers are those of the PCI code and ID assignment, not NVML's"},
    {"PlatformInfo::peer_type", "NVML does not name them"},
    {"RowRemapperStatus::correctable_active", "how many there are"},
    {"RowRemapperStatus::uncorrectable_active", "how many there are"},
    {"VgpuVersion::min_version", "one number, which counts versions"},
    {"VgpuVersion::max_version", "one number, which counts versions"},
};

// Return codes that are values.
constexpr Exception kReturns[] = {
    {"FabricInfo::status", "of the fabric's state, which is an answer when it is an error too"},
};

// Commands that answer something.
constexpr Exception kCommands[] = {
    {"Device::set_nvlink_bw_mode_async", "how long to wait for the mode"},
};

bool is_number(std::string_view type) {
  static const std::set<std::string_view> numbers{"unsigned",      "int",          "std::uint64_t", "std::int64_t",
                                                  "std::uint16_t", "std::uint8_t", "char"};
  return numbers.contains(type);
}

// "std::optional<unsigned>", "std::vector<std::uint8_t>": of what.
std::string_view element(std::string_view type) {
  for (const std::string_view holder : {"std::optional<", "std::vector<", "std::span<const ", "std::span<"}) {
    if (type.starts_with(holder)) return element(type.substr(holder.size(), type.rfind('>') - holder.size()));
  }
  return type.starts_with("std::array<") ? element(type.substr(11, type.find(',') - 11)) : type;
}

// A name that says: one of several, or yes or no.
bool names_a_kind(const std::string& name) {
  static const std::regex words{
      "(^|_)(is|has|flags?|modes?|states?|status|enabled?|ready|pending|active|version|type|kind|masks?|policy|caps|"
      "capability|capabilities|class|reasons?|support|supported)($|_)"};
  static const std::regex amounts{"(count|size|index|id|time)$"};
  return std::regex_search(name, words) && !std::regex_search(name, amounts);
}

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else if (!parts.back().empty() || c != ' ') {
      parts.back() += c;
    }
  }
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

std::string last(const std::string& name) { return name.substr(name.rfind(':') + 1); }

// Everything that has a type and a name: "Device::x" of an answer, "Device::x(y)" of an argument, "Struct::y".
struct Named {
  std::string place;
  std::string name;
  std::string type;
};
std::vector<Named> all_named() {
  std::vector<Named> all;
  for (const Signature& each : kSignatures) {
    all.push_back({each.method, last(each.method), each.result});
    for (const std::string& parameter : split(each.parameters)) {
      const std::size_t space = parameter.rfind(' ');
      all.push_back({std::string{each.method} + "(" + parameter.substr(space + 1) + ")", parameter.substr(space + 1),
                     parameter.substr(0, space)});
    }
  }
  for (const Member& each : kMembers)
    all.push_back({each.name, last(each.name), each.type});
  return all;
}

// An enumeration that a header has for a yes or no: methods and members have a bool in its place.
TEST(TypeRule, AYesOrNoIsNoEnumeration) {
  const std::set<std::vector<std::string_view>> pairs{
      {"disabled", "enabled"}, {"off", "on"}, {"no", "yes"}, {"false_", "true_"}};
  const auto all = all_named();
  unsigned enumerations = 0;
  for_each_enum([&]<class Enum>(std::string_view type, unsigned /*values*/) {
    std::vector<std::string_view> names;
    for (const Enum each : enumerators<Enum>())
      names.push_back(name_of(each));
    ++enumerations;
    if (!pairs.contains(names)) return;
    for (const Named& each : all)
      EXPECT_NE(element(each.type), type) << each.place << ": its row wants `flag`";
  });
  EXPECT_GE(enumerations, 90U);
}

TEST(TypeRule, WhatIsOneOfSeveralIsNoNumber) {
  std::set<std::string_view> excepted;
  unsigned numbers = 0;
  const auto all = all_named();
  for (const Named& each : all) {
    if (!is_number(element(each.type))) continue;
    ++numbers;
    if (!names_a_kind(each.name)) continue;
    const auto* const reason = std::ranges::find(kNumbers, each.place, &Exception::what);
    EXPECT_NE(reason, std::end(kNumbers))
        << each.place << " is " << each.type << ": its row wants `flag`, `enum`, `mask` or `class`, or a reason here";
    if (reason != std::end(kNumbers)) excepted.insert(reason->what);
  }
  for (const Exception& each : kNumbers)
    EXPECT_TRUE(excepted.contains(each.what)) << each.what << " is no exception";
  std::cout << std::size(kSignatures) << " methods and " << std::size(kMembers) << " members with " << all.size()
            << " types, " << numbers << " of them numbers, " << excepted.size() << " exceptions\n";
  EXPECT_GE(numbers, 100U);
}

// C's enumeration of disabled and enabled is a bool, and its return codes are errors.
TEST(TypeRule, YesOrNoIsABool) {
  unsigned flags = 0;
  for (const Named& each : all_named()) {
    flags += element(each.type) == "bool" ? 1 : 0;
    EXPECT_EQ(each.type.find("EnableState"), std::string::npos) << each.place;
    const bool argument = each.place.ends_with(')');  // Library::error_string() asks for the text of one
    EXPECT_TRUE(each.type != "Return" || argument || each.place == kReturns[0].what) << each.place;
  }
  std::cout << flags << " bools\n";
  EXPECT_GE(flags, 60U);
}

TEST(TypeRule, CommandsAnswerNothingButErrors) {
  static const std::regex verbs{"^(set|reset|clear|register|freeze|free|destroy|modify|remove|activate|update)_"};
  std::set<std::string_view> excepted;
  unsigned commands = 0;
  for (const Signature& each : kSignatures) {
    if (!std::regex_search(last(each.method), verbs) || std::string_view{each.method}.ends_with("clear_field_values"))
      continue;
    ++commands;
    const auto* const reason = std::ranges::find(kCommands, each.method, &Exception::what);
    EXPECT_TRUE(std::string_view{each.result} == "void" || reason != std::end(kCommands))
        << each.method << " answers " << each.result;
    if (reason != std::end(kCommands)) excepted.insert(reason->what);
  }
  EXPECT_EQ(excepted.size(), std::size(kCommands));
  std::cout << commands << " commands, " << excepted.size() << " exceptions\n";
  EXPECT_GE(commands, 60U);
}

TEST(TypeRule, ALibraryIsStartedByOpenAlone) {
  for (const Signature& each : kSignatures)
    EXPECT_FALSE(std::string_view{each.method}.starts_with("Library::init")) << each.method;
}

}  // namespace
}  // namespace nvml
