// SPDX-License-Identifier: Apache-2.0
// A set of workload power profiles, of those too that have no name yet. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <bitset>
#include <cstddef>
#include <initializer_list>

#include "nvmlab/nvml/generated/enums.hpp"

namespace nvml::abi {
struct nvmlMask255_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// A set of workload power profiles, of those too that have no name yet.
/// C: nvmlMask255_t
class PowerProfiles {
 public:
  static constexpr std::size_t kMost = 256;

  PowerProfiles() = default;
  PowerProfiles(std::initializer_list<PowerProfileType> all) {
    for (const PowerProfileType each : all)
      insert(each);
  }

  bool has(PowerProfileType profile) const noexcept { return index(profile) < kMost && bits_[index(profile)]; }
  bool empty() const noexcept { return bits_.none(); }
  std::size_t size() const noexcept { return bits_.count(); }

  /// A number that NVML's mask has no bit for is left out.
  void insert(PowerProfileType profile) noexcept {
    if (index(profile) < kMost) bits_.set(index(profile));
  }
  void erase(PowerProfileType profile) noexcept {
    if (index(profile) < kMost) bits_.reset(index(profile));
  }

  friend bool operator==(const PowerProfiles&, const PowerProfiles&) = default;

 private:
  static std::size_t index(PowerProfileType profile) noexcept { return static_cast<std::size_t>(profile); }

  std::bitset<kMost> bits_;
};

}  // namespace nvml::inline v1

namespace nvml::abi {
void from_c(const nvmlMask255_t& c, PowerProfiles& value);
void to_c(const PowerProfiles& value, nvmlMask255_t& c);
}  // namespace nvml::abi
