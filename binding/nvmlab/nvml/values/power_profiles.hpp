// SPDX-License-Identifier: Apache-2.0
// A set of workload power profiles, of those too that have no name yet. Covered by tests/binding/values_hand_test.cpp.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "nvmlab/nvml/generated/enums.hpp"
#include "nvmlab/nvml/hashing.hpp"

namespace nvml::abi {
struct nvmlMask255_t;
}  // namespace nvml::abi

namespace nvml::inline v1 {

/// A set of workload power profiles, of those too that have no name yet.
/// C: nvmlMask255_t
class PowerProfiles {
 public:
  static constexpr std::size_t kMost = 256;  ///< of them

  PowerProfiles() = default;
  /// These.
  PowerProfiles(std::initializer_list<PowerProfileType> all) {
    for (const PowerProfileType each : all)
      insert(each);
  }

  /// Whether one is in it.
  bool has(PowerProfileType profile) const noexcept {
    return index(profile) < kMost && (words_[index(profile) / kWord] & bit(profile)) != 0;
  }
  bool empty() const noexcept { return size() == 0; }  ///< whether none is
  /// How many are.
  std::size_t size() const noexcept {
    std::size_t set = 0;
    for (const std::uint64_t word : words_)
      set += static_cast<std::size_t>(std::popcount(word));
    return set;
  }

  /// A number that NVML's mask has no bit for is left out.
  void insert(PowerProfileType profile) noexcept {
    if (index(profile) < kMost) words_[index(profile) / kWord] |= bit(profile);
  }
  /// Takes one out.
  void erase(PowerProfileType profile) noexcept {
    if (index(profile) < kMost) words_[index(profile) / kWord] &= ~bit(profile);
  }

  friend bool operator==(const PowerProfiles&, const PowerProfiles&) = default;

 private:
  static constexpr std::size_t kWord = 64;

  static std::size_t index(PowerProfileType profile) noexcept { return static_cast<std::size_t>(profile); }
  static std::uint64_t bit(PowerProfileType profile) noexcept { return std::uint64_t{1} << index(profile) % kWord; }

  // Not std::bitset, whose header brings streams.
  std::array<std::uint64_t, kMost / kWord> words_{};
};

}  // namespace nvml::inline v1

template <>
struct std::hash<nvml::PowerProfiles> {
  std::size_t operator()(const nvml::PowerProfiles& profiles) const noexcept {
    std::size_t all = 0;
    for (std::size_t i = 0; i < nvml::PowerProfiles::kMost; ++i)
      if (profiles.has(static_cast<nvml::PowerProfileType>(i))) all = nvml::detail::mixed(all, i);
    return all;
  }
};

namespace nvml::abi {
void from_c(const nvmlMask255_t& c, PowerProfiles& value);
void to_c(const PowerProfiles& value, nvmlMask255_t& c);
}  // namespace nvml::abi
