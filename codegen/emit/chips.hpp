// SPDX-License-Identifier: Apache-2.0
// The table of chips: model/chips.yaml as C++.
#pragma once

#include <string>

#include "base/yaml/tree.hpp"
#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

// The header of `file`, a parsed model/chips.yaml.
Result<std::string> render_chips(const Inputs& inputs, const yaml::Node& file);

std::expected<void, Error> emit_chips(const Inputs& inputs, Output& output);

}  // namespace nvmlab::codegen
