// SPDX-License-Identifier: Apache-2.0
// Counts that describe a running machine. Tests: tests/command/status_test.cpp.
#pragma once

#include <cstdint>
#include <string>

namespace nvmlab {

class Machine;

namespace control {

struct MachineStatus {
  std::string profile;           // that the machine was made from
  std::uint64_t created_ns = 0;  // host time, since 1970
  std::uint64_t gpus_removed = 0;
  std::uint64_t gpus_loaded = 0;
  std::uint64_t processes = 0;
  std::uint64_t pins = 0;
  std::uint64_t events_raised = 0;
  std::uint64_t events_lost = 0;
  std::uint64_t log_entries = 0;
  std::uint64_t log_fell_out = 0;  // older entries that the log no longer has
};
MachineStatus status_of(const Machine& machine);

std::uint64_t seed_of(const Machine& machine);  // of the clock and the noise

}  // namespace control
}  // namespace nvmlab
