// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace nvmlab {

// The parts of a machine that changes are for. The node is what belongs to the machine as a whole.
enum class MachinePart : std::uint32_t { gpu, node, clock, driver, functions, vgpus };

struct ChangeTarget {
  static constexpr std::uint32_t kNoGpu = ~std::uint32_t{0};

  std::uint32_t gpu = kNoGpu;  // its index, of MachinePart::gpu
  MachinePart part = MachinePart::node;

  ChangeTarget() = default;
  // NOLINTBEGIN(google-explicit-constructor): make_change() takes an index or a part
  constexpr ChangeTarget(std::uint32_t index) : gpu(index), part(MachinePart::gpu) {}
  constexpr ChangeTarget(MachinePart other) : part(other) {}
  // NOLINTEND(google-explicit-constructor)

  constexpr bool is_gpu() const { return part == MachinePart::gpu; }
  bool operator==(const ChangeTarget&) const = default;
};

}  // namespace nvmlab
