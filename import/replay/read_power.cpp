// SPDX-License-Identifier: Apache-2.0
//
// Profiles of power smoothing (field ids with the profile as scope) and workload power profiles (masks and a table):
// the inverse of drivers/nvml/hooks/power_modes.cpp and workload_profiles.cpp.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// The bits of an nvmlMask255_t, as the numbers of what they stand for.
std::vector<std::uint64_t> bits_of(const Json* mask) {
  std::vector<std::uint64_t> bits;
  const Json* words = mask == nullptr ? nullptr : member(*mask, "mask");
  if (words == nullptr || !words->is_array()) return bits;
  std::uint64_t first = 0;
  for (const Json& word : *words) {
    const auto value = number(&word).value_or(0);
    for (unsigned bit = 0; bit < 32; ++bit) {
      if ((value >> bit & 1) != 0) bits.push_back(first + bit);
    }
    first += 32;
  }
  return bits;
}

void read_workload(const Context& context) {
  const Call* table = context.calls.find("nvmlDeviceWorkloadPowerProfileGetProfilesInfo");
  if (!lists(table, "profilesInfo.perfProfile")) return;
  const auto supported = bits_of(member(table->out, "profilesInfo.perfProfilesMask"));
  Records profiles;
  for (const Json& item : list(table, "profilesInfo.perfProfile")) {
    const auto id = number(member(item, "profileId"));
    if (!id || std::ranges::find(supported, *id) == supported.end()) continue;
    if (std::ranges::any_of(profiles, [&](const auto& known) { return known.second.at("id") == std::to_string(*id); }))
      continue;
    const auto place = profiles.size();
    profiles[place] = {{"id", std::to_string(*id)},
                       {"priority", yaml_of(member(item, "priority"))},
                       {"conflicts", fmt::format("[{}]", fmt::join(bits_of(member(item, "conflictingMask")), ", "))}};
  }
  context.tell("power.workload_profiles", profiles, profiles.size(), *table);
  if (const Call* now = context.calls.good("nvmlDeviceWorkloadPowerProfileGetCurrentProfiles")) {
    const auto requested = bits_of(member(now->out, "currentProfiles.requestedProfilesMask"));
    context.tell("power.workload_requested", fmt::format("[{}]", fmt::join(requested, ", ")), *now);
  }
}

}  // namespace

void read_power(const Context& context, std::map<std::string, Records, std::less<>>& lists) {
  if (const Call* count = context.calls.field("NVML_FI_PWR_SMOOTHING_MAX_NUM_PRESET_PROFILES");
      count != nullptr && count->succeeded()) {
    context.tell("power.smoothing_profiles", lists["power.smoothing_profiles"], number(*count, "value").value_or(0),
                 *count);
  }
  read_workload(context);
}

}  // namespace nvmlab::importer::replay
