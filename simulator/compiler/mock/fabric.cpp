// SPDX-License-Identifier: Apache-2.0
//
// Fabric health of a Go mock configuration: named conditions become NVML's bit fields, and a summary of them.
// Tests: mock_config_test.cpp.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/mock/device.hpp"
#include "compiler/mock/scalars.hpp"

namespace nvmlab::compiler {
namespace {

// Bit fields of NVML_GPU_FABRIC_HEALTH_MASK_*: two bits each (1 true, 2 false), four for the configuration (1 none).
struct Condition {
  const char* name;
  std::uint32_t shift;
};
constexpr Condition kConditions[] = {
    {"degraded_bandwidth", 0}, {"route_recovery", 2}, {"route_unhealthy", 4}, {"access_timeout_recovery", 6}};
constexpr std::uint32_t kConfigurationShift = 8;
constexpr const char* kConfigurations[] = {"not_supported",       "none",
                                           "incorrect_sysguid",   "incorrect_chassis_sn",
                                           "no_partition",        "insufficient_nvlinks",
                                           "incompatible_gpu_fw", "invalid_location",
                                           "gpu_state_invalid"};
constexpr std::uint32_t kHealthy = 0x1AA;  // every condition false, configuration right

enum Summary : std::uint32_t { not_supported = 0, healthy = 1, unhealthy = 2, limited = 3 };

}  // namespace

void MockDevice::fabric_health(const yaml::Node& node) {
  if (!is_mapping(node, "fabric.health")) return;
  auto& fact = gpu_.state->fabric.health_mask;
  std::uint32_t mask = fact.value_or(kHealthy);
  for (const auto& [key, value] : node.entries) {
    const std::string at = "fabric.health." + key.scalar;
    const auto* condition =
        std::ranges::find_if(kConditions, [&](const Condition& one) { return key.scalar == one.name; });
    if (condition != std::end(kConditions)) {
      mask &= ~(3u << condition->shift);
      mask |= (mock_truth(value, at, problems_) ? 1u : 2u) << condition->shift;
      continue;
    }
    const auto* known =
        std::ranges::find(kConfigurations, value.scalar, [](const char* name) { return std::string(name); });
    if (key.scalar != "incorrect_configuration" || known == std::end(kConfigurations)) {
      note(key, fmt::format("'{}' is unknown to nvmlab and left out", at));
      continue;
    }
    mask &= ~(0xFu << kConfigurationShift);
    mask |= static_cast<std::uint32_t>(known - kConfigurations) << kConfigurationShift;
  }
  fact.set(mask);
  gpu_.marks[leaf_of(*find_field("fabric.health_mask"))] = {&mock_source(), &node.place};
}

// A fabric without a word about health is healthy; the summary follows from the conditions unless the file pins it.
void MockDevice::fabric_summary() {
  Fabric& fabric = gpu_.state->fabric;
  if (!fabric.state.has_value()) return;
  const std::uint32_t mask_leaf = leaf_of(*find_field("fabric.health_mask"));
  const std::uint32_t summary_leaf = leaf_of(*find_field("fabric.health_summary"));
  if (gpu_.marks[mask_leaf].place == nullptr) {
    fabric.health_mask.set(kHealthy);
    gpu_.marks[mask_leaf].source = &derived_source();
  }
  if (!fabric.status.has_value()) fabric.status.set(0);
  if (gpu_.marks[summary_leaf].place != nullptr) return;
  const std::uint32_t mask = fabric.health_mask.value;
  const auto raised = [&](const Condition& one) { return ((mask >> one.shift) & 3u) == 1; };
  const bool wrong_configuration = ((mask >> kConfigurationShift) & 0xFu) > 1;
  const bool other = std::ranges::any_of(kConditions + 1, std::end(kConditions), raised) || wrong_configuration;
  fabric.health_summary.set(mask == 0 ? not_supported : other ? unhealthy : raised(kConditions[0]) ? limited : healthy);
  gpu_.marks[summary_leaf].source = &derived_source();
}

}  // namespace nvmlab::compiler
