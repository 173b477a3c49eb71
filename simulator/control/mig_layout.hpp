// SPDX-License-Identifier: Apache-2.0
// MIG devices in the words of `nvmlab up --mig`: "3g.40gb,2g.20gb" for every GPU, "0:3g.40gb,3g.40gb" for one. Each
// becomes a GPU instance with one compute instance that fills it. Tests: tests/command/mig_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "control/machine.hpp"

namespace nvmlab::control {

struct MigLayoutWords {
  std::optional<std::uint32_t> gpu;   // every GPU without it
  std::vector<std::string> profiles;  // as nvidia-smi names them, without "MIG "
};

std::expected<MigLayoutWords, std::string> read_mig_layout(const std::string& word);

// Switches MIG on, with the reset that the chip may need, and makes the instances in their order, where the driver
// would. What is wrong says which and what would be right.
std::expected<void, std::string> cut(Machine& machine, const MigLayoutWords& layout);

}  // namespace nvmlab::control
