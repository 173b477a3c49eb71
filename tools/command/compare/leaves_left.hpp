// SPDX-License-Identifier: Apache-2.0
// Leaves of a capture that no profile carries, as lines for people. Tests: tests/command/import_test.cpp.
#pragma once

#include <fmt/format.h>

#include <string>

#include "import/leaves/leaf_ledger.hpp"

namespace nvmlab::tool {

// "capture.xml:12: timestamp is not carried: the moment of the capture"
inline std::string line_of(const importer::LeavesLeft& left) {
  const std::string times = left.times == 1 ? std::string() : fmt::format(" ({} times)", left.times);
  return fmt::format("{}:{}: {}{} is not carried: {}", left.file, left.line, left.path, times, left.reason);
}

}  // namespace nvmlab::tool
