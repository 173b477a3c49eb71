// SPDX-License-Identifier: Apache-2.0
// Running another program and reading what it says: the C compiler for `validate`, pip and fetch-deb for `fetch`. No
// shell is involved, so no argument needs quoting. Covered by tests/unit/codegen/process_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

struct Finished {
  int exit_code = 0;  // 128 + N if signal N ended it
  std::string out;
  std::string err;
};

// `arguments[0]` is looked up in PATH unless it holds a slash. Standard input is empty. An error only if it cannot be
// started.
Result<Finished> run_program(const std::vector<std::string>& arguments);

bool in_path(const std::string& program);

}  // namespace nvmlab::codegen
