// SPDX-License-Identifier: Apache-2.0
// What stands in for a C function while a test calls its method: lambdas over the C function's parameters.
#pragma once

#include <optional>
#include <string>

#include "codegen/emit/nvml/pieces.hpp"

namespace nvmlab::codegen::methods {

// Each takes what the C function takes, but for `same`, which takes the method's answer.
struct Lambdas {
  std::string came;  // are the arguments what the method was given?
  std::string act;   // writes patterns
  std::string note;  // copies what was written
  std::string same;  // is the answer what was written?
  bool command = false;
};

// Nothing: more than the signature and the row is needed to tell, and a test by hand is there.
Result<std::optional<Lambdas>> lambdas_of(const Writing& writing, const Method& method, const Piece& piece);

// "const std::string& name" -> "std::string"
std::string argument_type(const std::string& parameter);

}  // namespace nvmlab::codegen::methods
