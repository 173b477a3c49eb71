// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/vgpu/vgpu_type.hpp"

namespace nvmlab {
namespace {

std::uint32_t power_of_two_below(std::uint32_t number) {
  std::uint32_t power = 1;
  while (power * 2 <= number)
    power *= 2;
  return power;
}

// One of `parts` equal parts of the frame buffer.
struct Part {
  std::uint32_t begin;
  std::uint32_t end;
  std::uint32_t parts;
  bool left;  // of the two halves of what it is a part of
};

// A type of which a power of two fit lies at both ends of each part that holds two. Of any other, one lies in each part
// that holds one: at the outer end.
void place_in(const Part& part, const VgpuType& type, Placements& found) {
  const std::uint32_t most = type.max_instances;
  const std::uint32_t rounded = power_of_two_below(most);
  const bool both = part.parts * 2 == most;
  const bool one = (rounded < most && rounded == part.parts) || (part.parts == 1 && most == 1);
  if (both || (one && part.left)) found.add(part.begin);
  if ((both || (one && !part.left)) && part.end >= type.placement_size()) found.add(part.end - type.placement_size());
}

// By halving again and again, as an odd number of slots does not halve evenly.
Part part_of(std::uint32_t gib, std::uint32_t parts, std::uint32_t index) {
  Part part{0, gib, parts, index % 2 == 0};
  for (std::uint32_t half = parts / 2; half > 0; half /= 2) {
    const std::uint32_t middle = (part.begin + part.end) / 2;
    ((index & half) != 0 ? part.begin : part.end) = middle;
  }
  return part;
}

void place_unlike(std::uint32_t gib, const VgpuType& type, Placements& found) {
  for (std::uint32_t parts = 1; parts <= 32 && parts <= gib; parts *= 2) {
    for (std::uint32_t i = 0; i < parts; ++i)
      place_in(part_of(gib, parts, i), type, found);
  }
}

}  // namespace

Placements supported_placements(const VgpuType& type, std::uint32_t gib, bool heterogeneous) {
  Placements found;
  const std::uint32_t size = type.placement_size();
  if (size == 0 || size > gib) return found;
  if (heterogeneous) {
    place_unlike(gib, type, found);
    return found;
  }
  for (std::uint32_t at = 0; at + size <= gib && found.count < type.max_instances && found.count < kMaxVgpusOfGpu;
       at += size)
    found.add(at);
  return found;
}

}  // namespace nvmlab
