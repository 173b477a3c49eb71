// SPDX-License-Identifier: Apache-2.0
//
// How many profiles power smoothing has, which a field id tells; and workload power profiles, which are masks of bits
// and a table with a row for each bit.
#include <algorithm>
#include <vector>

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
  if (!says_items(table, "profilesInfo.perfProfile")) return;
  const auto supported = bits_of(member(table->out, "profilesInfo.perfProfilesMask"));
  ListDraft profiles{.source = table};
  std::vector<std::uint64_t> seen;
  for (const Json& item : list(table, "profilesInfo.perfProfile")) {
    const auto id = number(member(item, "profileId"));
    if (!id || std::ranges::find(supported, *id) == supported.end()) continue;
    if (std::ranges::find(seen, *id) != seen.end()) continue;
    seen.push_back(*id);
    Record& profile = profiles.records[profiles.count++];
    profile.emplace("id", *id);
    put_column(profile, "priority", item, "priority");
    profile.emplace("conflicts", bits_of(member(item, "conflictingMask")));
  }
  context.set("power.workload_profiles", profiles);
  if (const Call* now = context.calls.good("nvmlDeviceWorkloadPowerProfileGetCurrentProfiles"))
    context.set("power.workload_requested", bits_of(member(now->out, "currentProfiles.requestedProfilesMask")), *now);
}

}  // namespace

void read_power(const Context& context, Lists& lists) {
  if (const Call* count = context.calls.field("NVML_FI_PWR_SMOOTHING_MAX_NUM_PRESET_PROFILES");
      count != nullptr && count->succeeded()) {
    ListDraft& profiles = lists["power.smoothing_profiles"];
    profiles.source = count;
    profiles.count = number(*count, "value").value_or(0);
  }
  read_workload(context);
}

}  // namespace nvmlab::importer::replay
