// SPDX-License-Identifier: Apache-2.0
//
// A snapshot of a machine: its state and its pins at one moment, which can be kept in a file (snapshot_file.hpp), put
// back (restore.hpp) and compared (differences.hpp). Events, the log and who has the machine open are no part of it.
// Tests: tests/unit/control/snapshot_test.cpp, tests/command/snapshot_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <vector>

#include "engine/store/machine_clock.hpp"
#include "engine/store/store_file.hpp"

namespace nvmlab::control {

/// What lies beside the state of a GPU, or of the node.
struct Beside {
  bool present = true;    ///< false: the GPU was removed
  std::vector<Pin> pins;  ///< the fields that were set by force, with their values
  bool faulty = false;    ///< the GPU has faults, which no file keeps
};

/// States and pins are canonical (compiler/canonical.hpp): machines that are the same give the same snapshot. Derived
/// fields are as they are stored.
struct Snapshot {
  std::string machine;                                    ///< its name
  std::string profile;                                    ///< that it was made of
  std::uint64_t seed = 0;                                 ///< of its clock and its noise
  std::uint64_t time_ns = 0;                              ///< machine time
  ClockMode clock = ClockMode::real;                      ///< which clock it had
  ClockMode resumes = ClockMode::real;                    ///< of a frozen clock
  std::uint64_t rate = kRealRate;                         ///< of a clock that is scaled, or resumes so
  std::unique_ptr<Node> node = std::make_unique<Node>();  ///< the state of the machine as a whole
  Beside beside_node;                                     ///< and its pins
  std::vector<Gpu> gpus;                                  ///< the state of each
  std::vector<Beside> beside_gpus;                        ///< and their pins

  /// Those that were removed too.
  std::uint32_t gpu_count() const { return static_cast<std::uint32_t>(gpus.size()); }
};

/// What NVML tells of a stored GPU at a time of its machine: what moves and what is derived have their values.
std::unique_ptr<Gpu> told(const Gpu& stored, std::uint64_t now_ns);

/// All of it at one moment, where the user may write to the machine; else each GPU at one of its own.
/// The error is a sentence: the machine was taken down, or another process has had its lock for too long.
std::expected<Snapshot, std::string> take_snapshot(const Store& store, const StoreFile& file);
/// The same for who has the lock already.
std::expected<Snapshot, std::string> take_snapshot(const Store& store, const StoreFile& file, const WriteLock& lock);

}  // namespace nvmlab::control
