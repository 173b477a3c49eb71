// SPDX-License-Identifier: Apache-2.0
//
// Values that control has pinned (`nvmlab set --force`): whatever else happens to the machine, they are what is told
// until they are released, and then what would have been there comes back. Under the WriteLock of the store.
#pragma once

#include <cstdint>

namespace nvmlab {

inline constexpr std::uint32_t kMaxPins = 64;

struct Pin {
  std::uint32_t offset;  // of a scalar fact within Gpu or Node
  std::uint32_t size;
  std::uint64_t value[2];
  std::uint64_t under[2];  // what would be stored without the pin
};

struct Pins {
  std::uint32_t count;
  std::uint32_t reserved;
  Pin items[kMaxPins];

  std::uint32_t size() const { return count < kMaxPins ? count : kMaxPins; }  // a damaged count never leads outside
  const Pin* find(std::uint32_t offset) const {
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (items[i].offset == offset) return items + i;
    }
    return nullptr;
  }
  Pin* find(std::uint32_t offset) { return const_cast<Pin*>(static_cast<const Pins*>(this)->find(offset)); }
};

}  // namespace nvmlab
