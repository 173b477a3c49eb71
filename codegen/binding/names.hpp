// SPDX-License-Identifier: Apache-2.0
// How NVML's names read in C++. Covered by tests/unit/codegen/binding_plan_test.cpp.
#pragma once

#include <string>
#include <string_view>

namespace nvmlab::codegen {

// "GetNvLinkRemotePciInfo" -> "get_nvlink_remote_pci_info": words of the trade stay one word.
std::string words_of(std::string_view camel);

// "pPlacementList" -> "placement_list"; C++ keywords get a trailing underscore.
std::string parameter_name(std::string_view c);

// "nvmlDeviceGetPciInfo_v3" -> "nvmlDeviceGetPciInfo"; a trailing V goes too.
struct VersionedName {
  std::string base;
  unsigned version = 1;
  std::string suffix;  // of the method that asks this version alone
};
VersionedName versioned_name(std::string_view function);

// The rule by which users find a method: the C name without `nvml`, the class (`System` of Library) and `Get`, in
// words.
std::string name_by_rule(std::string_view base, std::string_view class_name);

// The method's name without its version, "fan_speed": by the rule, with verbs in front and without handles.
// `class_name` is its class; what belongs to no class keeps the name of what it is about: nvmlUnitGetCount of Library
// is unit_count, nvmlUnitGetHandleByIndex is unit.
std::string method_name(std::string_view base, std::string_view class_name);

}  // namespace nvmlab::codegen
