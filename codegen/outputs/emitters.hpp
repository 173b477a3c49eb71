// SPDX-License-Identifier: Apache-2.0
// The table of emitters: what `nvmlgen write` makes and `nvmlgen check` compares. An emitter is a free function from
// the model to texts; to add one, write the function in a file of its own and give it a row in emitters.cpp, of which
// docs/reference/generated/outputs.md is made.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "codegen/error.hpp"
#include "codegen/io/output.hpp"
#include "codegen/model/inputs.hpp"

namespace nvmlab::codegen {

struct Emitter {
  std::string_view name;
  std::expected<void, Error> (*emit)(const Inputs& inputs, Output& output);
  std::string_view reads;    // for the page of outputs: what it is made from
  std::string_view used_by;  // and who builds or reads what it makes
};

std::span<const Emitter> emitters();

// Runs every emitter; the files of all of them.
Result<std::map<std::string, std::string>> emit_all(const Inputs& inputs);

}  // namespace nvmlab::codegen
