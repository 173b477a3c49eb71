// SPDX-License-Identifier: Apache-2.0
// Faults by the names that people write and read. Tests: tests/command/fault_test.cpp,
// tests/unit/command/faults_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "control/faults.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab::tool {

struct FaultName {
  FaultKind kind{};
  std::uint32_t number = 0;
  bool numbered = false;  // whether a number was said where the kind takes one
};

// "xid 79", "nvlink-down 4", "ecc-corrected dram", "lost"; an error names what would be right.
std::expected<FaultName, std::string> read_fault(const std::vector<std::string>& words);

// What the number of a kind is called, such as "LINK"; empty where it takes none.
std::string_view number_word(FaultNumber number);

// The inverse of read_fault().
std::string describe(FaultKind kind, std::uint32_t number);

// "xid 79", "nvlink-down 4 (3 times)", "xid 94 gpu-instance 5".
std::string describe(const ActiveFault& fault);

}  // namespace nvmlab::tool
