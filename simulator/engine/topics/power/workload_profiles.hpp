// SPDX-License-Identifier: Apache-2.0
//
// Which of the workload power profiles that were asked for are in force: the one with the lowest priority number first,
// and then every other that conflicts with none before it. Tests: tests/drivers/functions/power_profiles_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// Bit N of word N / 32: profile N.
struct ProfileMask {
  std::uint32_t words[8] = {};

  constexpr bool has(std::uint32_t id) const { return id < 256 && (words[id / 32] >> (id % 32) & 1) != 0; }
  constexpr void add(std::uint32_t id) {
    if (id < 256) words[id / 32] |= 1u << (id % 32);
  }
};

inline ProfileMask supported_profiles(const Power& power) {
  ProfileMask mask;
  for (const Power::WorkloadProfile& profile : power.workload_profiles)
    mask.add(profile.id.value);
  return mask;
}

inline ProfileMask requested_profiles(const Power& power) {
  ProfileMask mask;
  for (const std::uint16_t id : power.workload_requested)
    mask.add(id);
  return mask;
}

inline ProfileMask conflicts_of(const Power::WorkloadProfile& profile) {
  ProfileMask mask;
  for (const std::uint16_t id : profile.conflicts)
    mask.add(id);
  return mask;
}

inline ProfileMask enforced_profiles(const Power& power) {
  const ProfileMask requested = requested_profiles(power);
  ProfileMask looked_at;
  ProfileMask excluded;
  ProfileMask enforced;
  for (;;) {
    const Power::WorkloadProfile* next = nullptr;
    for (const Power::WorkloadProfile& profile : power.workload_profiles) {
      if (!requested.has(profile.id.value) || looked_at.has(profile.id.value)) continue;
      if (next == nullptr || profile.priority.value < next->priority.value) next = &profile;
    }
    if (next == nullptr) return enforced;
    looked_at.add(next->id.value);
    const ProfileMask conflicts = conflicts_of(*next);
    bool conflicting = excluded.has(next->id.value);
    for (std::uint32_t id = 0; id < 256; ++id)
      conflicting = conflicting || (conflicts.has(id) && enforced.has(id));
    if (conflicting) continue;
    enforced.add(next->id.value);
    for (std::uint32_t id = 0; id < 256; ++id) {
      if (conflicts.has(id)) excluded.add(id);
    }
  }
}

// False when more are asked for than can be remembered.
inline bool remember_requested(Power& power, const ProfileMask& mask) {
  List<std::uint16_t, decltype(power.workload_requested)::capacity> list{};
  for (std::uint32_t id = 0; id < 256; ++id) {
    if (!mask.has(id)) continue;
    if (list.count == list.capacity) return false;
    list[list.count++] = static_cast<std::uint16_t>(id);
  }
  power.workload_requested = list;
  return true;
}

}  // namespace nvmlab
