// SPDX-License-Identifier: Apache-2.0
// Which driver branches have a function: from the symbol tables of real drivers where we have them, else from the
// header that first declares it. Tests: tests/unit/codegen/presence_test.cpp.
#pragma once

#include <string>

#include "codegen/emit/emitters.hpp"

namespace nvmlab::codegen {

struct Presence {
  unsigned first = 0;  // major version of the first driver that has it
  unsigned last = 0;   // of the last one; 0: still there
};

Presence presence(const Inputs& inputs, const std::string& function);

}  // namespace nvmlab::codegen
