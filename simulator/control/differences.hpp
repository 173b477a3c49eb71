// SPDX-License-Identifier: Apache-2.0
//
// What differs between two snapshots of machines of as many GPUs, in the words of `nvmlab get`. Values are what NVML
// tells; machines whose clocks, names or logs differ do not differ by that. Where nothing is found, the two states are
// the same to the byte. Tests: tests/unit/control/differences_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/paths.hpp"
#include "control/snapshot.hpp"

namespace nvmlab::control {

/// One thing that differs.
struct Difference {
  std::optional<std::uint32_t> gpu;  ///< none: of the machine as a whole
  /// "power.limit_mw"; "presence"; "pin of power.limit_mw"; "residue of power.enforced_limit_mw", of a derived field
  /// that NVML tells alike although it is stored otherwise.
  std::string what;
  std::string before;  ///< as `nvmlab get` prints it; "none" of an item of a list, or a pin, that is not there
  std::string after;   ///< likewise
  std::optional<compiler::FieldRef> field;  ///< where `what` is the name of one
};

/// Of machines with as many GPUs.
std::vector<Difference> differences(const Snapshot& before, const Snapshot& after);

}  // namespace nvmlab::control
