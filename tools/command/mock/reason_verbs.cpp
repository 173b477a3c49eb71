// SPDX-License-Identifier: Apache-2.0
// Verbs that take words: what holds the clocks back, and what ails the fabric.
#include <algorithm>

#include "base/nearest.hpp"
#include "command/mock/verb.hpp"

namespace nvmlab::tool::mock {
namespace {

std::string listed(const Names& names) {
  std::string text;
  for (const auto& [word, key] : names)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

// All keys are written, so that a verb says how it is and not what is added. `nothing` clears them all.
std::expected<std::map<std::string, bool>, std::string> chosen(const std::string& verb, const Words& words,
                                                               const Names& names, const Words& nothing) {
  std::map<std::string, bool> keys;
  for (const auto& [word, key] : names)
    keys[key] = false;
  if (words.empty()) return wrong("{} takes one or more of {}, or {}", verb, listed(names), nothing.front());
  for (const std::string& given : words) {
    const std::string word = in_lower_case(given);
    if (std::ranges::find(nothing, word) != nothing.end()) {
      if (words.size() == 1) break;
      return wrong("{}: {} goes with no other", verb, in_quotes(given));
    }
    const auto known = names.find(word);
    if (known == names.end()) return wrong("{} knows no {}; it takes {}", verb, in_quotes(given), listed(names));
    keys[known->second] = true;
  }
  return keys;
}

}  // namespace

Patched throttle(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  static const Names names{{"gpu_idle", "gpu_idle"},
                           {"idle", "gpu_idle"},
                           {"applications_clocks_setting", "applications_clocks_setting"},
                           {"app_clocks", "applications_clocks_setting"},
                           {"sw_power_cap", "sw_power_cap"},
                           {"power", "sw_power_cap"},
                           {"hw_slowdown", "hw_slowdown"},
                           {"hw_thermal_slowdown", "hw_thermal_slowdown"},
                           {"thermal", "hw_thermal_slowdown"},
                           {"hw_power_brake_slowdown", "hw_power_brake_slowdown"},
                           {"power_brake", "hw_power_brake_slowdown"},
                           {"sync_boost", "sync_boost"},
                           {"sw_thermal_slowdown", "sw_thermal_slowdown"},
                           {"sw_thermal", "sw_thermal_slowdown"},
                           {"display_clocks_setting", "display_clocks_setting"},
                           {"display_clocks", "display_clocks_setting"}};
  const auto keys = chosen(verb, words, names, {"none"});
  if (!keys) return std::unexpected(keys.error());
  for (const auto& [key, active] : *keys)
    put(block, "clocks_throttle_reasons." + key, active);
  return {};
}

Patched fabric_health(const std::string& verb, const Words& words, const VerbOptions&, yaml::Node& block) {
  static const Names names{
      {"degraded_bandwidth", "degraded_bandwidth"}, {"bandwidth", "degraded_bandwidth"},
      {"degraded_bw", "degraded_bandwidth"},        {"route_recovery", "route_recovery"},
      {"route_unhealthy", "route_unhealthy"},       {"access_timeout_recovery", "access_timeout_recovery"},
      {"access_timeout", "access_timeout_recovery"}};
  static const Words configurations{"incorrect_sysguid",    "incorrect_chassis_sn", "no_partition",
                                    "insufficient_nvlinks", "incompatible_gpu_fw",  "invalid_location",
                                    "gpu_state_invalid"};
  std::string configuration = "none";
  Words conditions;
  for (const std::string& word : words) {
    const bool misconfigured = std::ranges::find(configurations, in_lower_case(word)) != configurations.end();
    if (misconfigured) configuration = in_lower_case(word);
    if (!misconfigured) conditions.push_back(word);
  }
  if (conditions.empty() && configuration != "none") conditions.emplace_back("healthy");
  const auto keys = chosen(verb, conditions, names, {"healthy", "none"});
  if (!keys) return std::unexpected(keys.error());
  put(block, "fabric.health.incorrect_configuration", yaml_scalar(configuration));
  for (const auto& [key, active] : *keys)
    put(block, "fabric.health." + key, active);
  put(block, "fabric.health_summary", yaml_scalar("auto"));
  return {};
}

}  // namespace nvmlab::tool::mock
