// SPDX-License-Identifier: Apache-2.0
//
// Functions of the internal table, by their slots. They have no names of their own; faults and records of calls know
// slot 108 as nvmlInternalSlot108. docs/reference/internal-table.md says what each one is.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nvmlab {

inline constexpr std::uint8_t kInternalSlots[] = {
    12,  20,  23,  65,  72,  75,  81,  108, 138, 139, 145, 157, 165, 168, 169, 182, 183, 184, 189, 192,
    193, 207, 209, 210, 211, 213, 214, 215, 223, 226, 230, 231, 232, 237, 240, 242, 243, 249, 250, 251,
};

constexpr bool is_internal_slot(std::size_t slot) {
  for (const std::uint8_t each : kInternalSlots) {
    if (each == slot) return true;
  }
  return false;
}

struct InternalSlotName {
  char text[24];
};
constexpr InternalSlotName name_of_internal_slot(std::size_t slot) {
  InternalSlotName name{"nvmlInternalSlot"};
  std::size_t at = 16;
  for (std::size_t place = 100; place > 0; place /= 10) {
    if (slot >= place) name.text[at++] = static_cast<char>('0' + slot / place % 10);
  }
  return name;
}

}  // namespace nvmlab
