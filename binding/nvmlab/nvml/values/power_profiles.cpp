// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/values/power_profiles.hpp"

#include "nvmlab/abi/generated/types.hpp"

namespace nvml::abi {

namespace {

constexpr unsigned kWordBits = N255_MASK_BITS_PER_ELEM;
static_assert(sizeof(nvmlMask255_t::mask) * 8 == PowerProfiles::kMost);

}  // namespace

void from_c(const nvmlMask255_t& c, PowerProfiles& value) {
  value = {};
  for (unsigned i = 0; i < PowerProfiles::kMost; ++i) {
    if ((c.mask[i / kWordBits] >> i % kWordBits & 1U) != 0) value.insert(static_cast<PowerProfileType>(i));
  }
}

void to_c(const PowerProfiles& value, nvmlMask255_t& c) {
  c = {};
  for (unsigned i = 0; i < PowerProfiles::kMost; ++i) {
    if (value.has(static_cast<PowerProfileType>(i))) c.mask[i / kWordBits] |= 1U << i % kWordBits;
  }
}

}  // namespace nvml::abi
