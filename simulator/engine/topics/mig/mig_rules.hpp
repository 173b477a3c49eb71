// SPDX-License-Identifier: Apache-2.0
// What follows from the fields of MIG and is therefore not stored. Tests: tests/drivers/functions/mig_test.cpp.
#pragma once

#include "engine/state/generated/state.hpp"

namespace nvmlab {

// While MIG is off a chip has room for no MIG device.
constexpr std::uint32_t mig_devices_possible(const Fact<std::uint32_t>& mode, const Fact<std::uint32_t>& most) {
  return mode.value_or(0) != 0 ? most.value_or(0) : 0;
}

inline bool mig_is_on(const Modes& modes) { return modes.mig.value_or(0) != 0; }

// Frame buffer that a GPU instance takes without a process in it: 26 MiB for three compute slices, 17 and 9 for two and
// one, as a capture of an H100 shows.
constexpr std::uint64_t mig_overhead_bytes(std::uint32_t slices) { return (std::uint64_t{26} * slices + 1) / 3 << 20; }

// The part of the BAR1 aperture that so many of the memory slices get; what is left over is the driver's.
constexpr std::uint64_t mig_bar1_bytes(std::uint64_t whole, std::uint32_t slices, std::uint32_t all) {
  constexpr std::uint64_t kept = 1u << 20;
  const std::uint64_t share = all == 0 ? 0 : whole * slices / all;
  return share > kept ? share - kept : 0;
}

}  // namespace nvmlab
