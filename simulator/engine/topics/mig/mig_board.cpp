// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/mig/mig_board.hpp"

namespace nvmlab {
namespace {

MigProfile read_profile(const Mig::Profile& from) {
  MigProfile profile{.id = load(from.id).value_or(0),
                     .number = load(from.number).value_or(0),
                     .slices = load(from.slices).value_or(0),
                     .instances = load(from.instances).value_or(0),
                     .memory_slices = load(from.memory_slices).value_or(0),
                     .starts = 0,
                     .multiprocessors = load(from.multiprocessors).value_or(0),
                     .engines = {load(from.decoders).value_or(0), load(from.encoders).value_or(0),
                                 load(from.jpegs).value_or(0), load(from.ofas).value_or(0)}};
  for (std::uint32_t i = 0; i < length_of(from.starts); ++i)
    profile.starts |= 1u << (__atomic_load_n(&from.starts.items[i], __ATOMIC_ACQUIRE) & 31);
  return profile;
}

std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

}  // namespace

MigBoard read_board(const Mig& mig) {
  MigBoard board{};
  board.missing_slice = load(mig.missing_slice).value_or(kMissingSlice);
  board.count = length_of(mig.profiles);
  for (std::uint32_t i = 0; i < board.count; ++i) {
    const MigProfile profile = board.profiles[i] = read_profile(mig.profiles.items[i]);
    const std::uint32_t last = profile.starts == 0 ? 0 : 31 - static_cast<std::uint32_t>(__builtin_clz(profile.starts));
    board.memory_slices = larger(board.memory_slices, last + profile.memory_slices);
    board.compute_slices = larger(board.compute_slices, profile.instances * profile.slices);
    for (std::uint32_t e = 0; e < kMigEngines; ++e)
      board.engines[e] = larger(board.engines[e], profile.instances * profile.engines[e]);
  }
  return board;
}

}  // namespace nvmlab
