// SPDX-License-Identifier: Apache-2.0
//
// The log of a machine (engine/store/change_log.hpp), entry by entry. Tests: tests/unit/control/machine_test.cpp,
// tests/command/log_test.cpp.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "engine/store/change_log.hpp"

namespace nvmlab::control {

/// An entry and its place.
struct NumberedEntry {
  std::uint64_t number = 0;  ///< from 0 on, without a gap
  LogEntry entry{};          ///< who changed what
};

/// Of one thread; the log must outlive it.
class LogReader {
 public:
  using Wanted = std::function<bool(const LogEntry&)>;  ///< which entries are read

  /// From the oldest entry that is still there.
  explicit LogReader(const ChangeLog& log, Wanted wanted = nullptr) : log_(log), wanted_(std::move(wanted)) {}

  /// The entries that are new to it, the oldest first; the last `most` of them.
  std::deque<NumberedEntry> read(std::uint64_t most = ~std::uint64_t{0});

  /// How many it never saw, because the log has room for the last ones.
  std::uint64_t fell_out() const { return fell_out_; }

 private:
  const ChangeLog& log_;
  Wanted wanted_;
  std::uint64_t place_ = 0;
  std::uint64_t expected_ = 0;
  std::uint64_t fell_out_ = 0;
};

}  // namespace nvmlab::control
