// SPDX-License-Identifier: Apache-2.0
// How boards take power and give heat away: model/board_physics.yaml as C++.
#pragma once

#include <string>

#include "base/yaml/tree.hpp"
#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// The header of `file`, a parsed model/board_physics.yaml.
Result<std::string> render_board_physics(const yaml::Node& file);

std::expected<void, Error> emit_board_physics(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
