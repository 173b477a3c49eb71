// SPDX-License-Identifier: Apache-2.0
//
// The loads that a trace shows, to be made on a machine at the machine time at which the board did them: how busy its
// engines were, and the power that it drew. Temperatures, clocks and the rest follow. Tests:
// tests/command/trace_test.cpp.
#pragma once

#include <deque>
#include <expected>
#include <optional>
#include <span>

#include "command/trace/trace.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

// In place of what the trace tells.
struct TraceOverrides {
  std::optional<std::uint32_t> sm_percent = {};
  std::optional<std::uint32_t> memory_percent = {};
  std::optional<std::uint32_t> air_c = {};
};

class TraceReplay {
 public:
  // A trace of one GPU is for each of `gpus`; one of several is for those of the same index. `every_ns` is how long the
  // last row lasts.
  static std::expected<TraceReplay, LocatedError> of(const Trace& trace, std::span<const std::uint32_t> gpus,
                                                     std::uint64_t every_ns, const TraceOverrides& overrides);

  bool done() const { return changes_.empty(); }
  std::uint64_t next_ns() const { return changes_.front().at_ns; }  // since the trace began
  std::vector<Change> take();                                       // all of that time

 private:
  struct Timed {
    std::uint64_t at_ns;
    Change change;
  };
  std::deque<Timed> changes_;
};

}  // namespace nvmlab::tool
