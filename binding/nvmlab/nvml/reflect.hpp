// SPDX-License-Identifier: Apache-2.0
// What values are made of: the members of structs, and the named values of enumerations. Not part of <nvmlab/nvml.hpp>.
// Covered by tests/binding/snapshot_test.cpp.
//
//   for_each_member(*device.memory_info(), [](std::string_view name, const auto& member) { ... });
//   if (const auto type = nvml::from_name<nvml::ClockType>(argument)) std::cout << device.clock_info(*type)->count();
//   for (const nvml::Brand brand : nvml::enumerators<nvml::Brand>()) std::cout << to_string(brand) << '\n';
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "nvmlab/nvml/generated/enumerators.hpp"     // IWYU pragma: export
#include "nvmlab/nvml/generated/members.hpp"         // IWYU pragma: export
#include "nvmlab/nvml/generated/result_members.hpp"  // IWYU pragma: export
#include "nvmlab/nvml/samples.hpp"

namespace nvml::inline v1 {

/// The named values of an enumeration, or of the flags of a set, in their order.
template <class Enum>
constexpr std::span<const Enum> enumerators() noexcept {
  return detail::Enumerators<Enum>::all;
}

/// The enumerator of this name, as name_of() and to_string() have it: from_name<ClockType>("memory"). Nothing where
/// none has it, as of what a user typed.
template <class Enum>
std::optional<Enum> from_name(std::string_view name) noexcept {
  for (const Enum each : enumerators<Enum>())
    if (name_of(each) == name) return each;
  return std::nullopt;
}

// The members of structs that a person wrote.

template <class Visit>
constexpr void for_each_member(const DomainUtilization& value, Visit&& visit) {
  visit(std::string_view{"utilization"}, value.utilization);
  visit(std::string_view{"increase_threshold"}, value.increase_threshold);
  visit(std::string_view{"decrease_threshold"}, value.decrease_threshold);
}

template <class Visit>
constexpr void for_each_member(const GpuDynamicPstatesInfo& value, Visit&& visit) {
  visit(std::string_view{"flags"}, value.flags);
  visit(std::string_view{"domains"}, value.domains);
}

template <class Visit>
constexpr void for_each_member(const PerfMetricControllerSample& value, Visit&& visit) {
  visit(std::string_view{"type"}, value.type);
  visit(std::string_view{"data"}, value.data);
}

template <class Visit>
constexpr void for_each_member(const PrmTlv& value, Visit&& visit) {
  visit(std::string_view{"status"}, value.status);
  visit(std::string_view{"data"}, value.data);
}

template <class Visit>
constexpr void for_each_member(const ThermalSensor& value, Visit&& visit) {
  visit(std::string_view{"controller"}, value.controller);
  visit(std::string_view{"default_min"}, value.default_min);
  visit(std::string_view{"default_max"}, value.default_max);
  visit(std::string_view{"current"}, value.current);
  visit(std::string_view{"target"}, value.target);
}

template <class Visit>
constexpr void for_each_member(const GpuThermalSettings& value, Visit&& visit) {
  visit(std::string_view{"sensors"}, value.sensors);
}

template <class Visit>
constexpr void for_each_member(const VgpuMetadata& value, Visit&& visit) {
  visit(std::string_view{"version"}, value.version);
  visit(std::string_view{"revision"}, value.revision);
  visit(std::string_view{"guest_info_state"}, value.guest_info_state);
  visit(std::string_view{"guest_driver_version"}, value.guest_driver_version);
  visit(std::string_view{"host_driver_version"}, value.host_driver_version);
  visit(std::string_view{"virtualization_caps"}, value.virtualization_caps);
  visit(std::string_view{"guest_vgpu_version"}, value.guest_vgpu_version);
  visit(std::string_view{"opaque_data"}, value.opaque_data);
}

template <class Visit>
constexpr void for_each_member(const VgpuPgpuMetadata& value, Visit&& visit) {
  visit(std::string_view{"version"}, value.version);
  visit(std::string_view{"revision"}, value.revision);
  visit(std::string_view{"host_driver_version"}, value.host_driver_version);
  visit(std::string_view{"virtualization_caps"}, value.virtualization_caps);
  visit(std::string_view{"host_supported_range"}, value.host_supported_range);
  visit(std::string_view{"opaque_data"}, value.opaque_data);
}

template <class Visit>
constexpr void for_each_member(const VgpuSchedulerState& value, Visit&& visit) {
  visit(std::string_view{"engine"}, value.engine);
  visit(std::string_view{"policy"}, value.policy);
  visit(std::string_view{"arr_mode"}, value.arr_mode);
  visit(std::string_view{"average_factor"}, value.average_factor);
  visit(std::string_view{"timeslice"}, value.timeslice);
}

template <class Visit>
constexpr void for_each_member(const VgpuSchedulerLog& value, Visit&& visit) {
  visit(std::string_view{"state"}, value.state);
  visit(std::string_view{"entries"}, value.entries);
}

template <class Visit>
constexpr void for_each_member(const Sample& value, Visit&& visit) {
  visit(std::string_view{"timestamp"}, value.timestamp);
  visit(std::string_view{"value"}, value.value);
}

template <class Visit>
constexpr void for_each_member(const RetiredPage& value, Visit&& visit) {
  visit(std::string_view{"address"}, value.address);
  visit(std::string_view{"timestamp"}, value.timestamp);
}

/// A struct whose members can be visited.
template <class T>
concept Reflected = requires(const T& value) {
  for_each_member(value, [](std::string_view, const auto&) {});
};

}  // namespace nvml::inline v1
