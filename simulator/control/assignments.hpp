// SPDX-License-Identifier: Apache-2.0
//
// What `nvmlab set` and `nvmlab release` ask of a machine that is up, as changes of its state
// (engine/change/change.hpp). Tests: tests/command/get_set_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "base/complaints.hpp"
#include "compiler/paths.hpp"
#include "engine/store/store_file.hpp"

namespace nvmlab::control {

struct Assignment {
  compiler::FieldRef ref;
  std::string value;                    // a scalar or a text, as it was written
  std::string place = {};               // "file:line:column: " where it stands in a file
  std::optional<yaml::Node> node = {};  // of a YAML file, in place of `value`
};

enum class Force : bool { no, yes };

// Makes all assignments, or none and says why not. With Force::yes the values are pinned over whatever else happens.
Complaints assign(Store& store, StoreFile& file, const std::vector<Assignment>& assignments,
                  const std::vector<std::uint32_t>& gpus, Force force);

// Lets go of the pins at these paths, or of all pins of these GPUs and of the node where no path is named.
Complaints release(Store& store, StoreFile& file, const std::vector<compiler::FieldRef>& paths,
                   const std::vector<std::uint32_t>& gpus);

}  // namespace nvmlab::control
