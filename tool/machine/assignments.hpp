// SPDX-License-Identifier: Apache-2.0
//
// What `nvmlab set` and `nvmlab release` ask of a machine that is up, as changes of its state
// (engine/machine/change.hpp). Tests: tests/tool/get_set_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "compiler/paths.hpp"
#include "engine/machine/store_file.hpp"
#include "tool/cli/output.hpp"

namespace nvmlab::tool {

struct Assignment {
  compiler::FieldRef ref;
  std::string value;
};

// PATH=VALUE, one by one; all complaints at once.
std::expected<std::vector<Assignment>, Complaints> parse_assignments(const std::vector<std::string>& words);

enum class Force : bool { no, yes };

// Makes all assignments, or none and says why not. With Force::yes the values are pinned over whatever else happens.
Complaints assign(Store& store, StoreFile& file, const std::vector<Assignment>& assignments,
                  const std::vector<std::uint32_t>& gpus, Force force);

// Lets go of the pins at these paths, or of all pins of these GPUs and of the node where no path is named.
Complaints release(Store& store, StoreFile& file, const std::vector<compiler::FieldRef>& paths,
                   const std::vector<std::uint32_t>& gpus);

}  // namespace nvmlab::tool
