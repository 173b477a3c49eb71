// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/mig_profiles.hpp"

#include <cstring>
#include <initializer_list>

#include "drivers/nvml/visit.hpp"

namespace nvmlab::driver {

MigProfileFacts facts_of(const GpuSlot& slot, std::uint32_t profile_id) {
  MigProfileFacts facts{};
  consistent(slot, [&](const Gpu& gpu) {
    return visit_until(gpu.mig.profiles, [&](const Mig::Profile& each) {
      if (load(each.id).value_or(~0u) != profile_id) return false;
      facts.copy_engines = load(each.copy_engines).value_or(0);
      facts.graphics = (load(each.capabilities).value_or(0) & GPU_INSTANCE_PROFILE_CAPS_GFX) != 0;
      load_into(facts.name, each.name);
      return true;
    });
  });
  return facts;
}

// Media engines are no part of it.
MigName name_of(const Text<96>& profile, std::uint32_t compute_slices, std::uint32_t slices) {
  MigName name{};
  const char* from = std::strncmp(profile.data, "MIG ", 4) == 0 ? profile.data + 4 : profile.data;
  std::size_t length = std::strlen(from);
  for (const char* media : {"+me", "-me"}) {
    if (const char* found = std::strstr(from, media)) length = static_cast<std::size_t>(found - from);
  }
  char* to = name.text;
  if (compute_slices != slices) {
    *to++ = static_cast<char>('0' + compute_slices % 10);
    *to++ = 'c';
    *to++ = '.';
  }
  const std::size_t room = sizeof name.text - 4;
  std::memcpy(to, from, length < room ? length : room);
  return name;
}

}  // namespace nvmlab::driver
