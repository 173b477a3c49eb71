// SPDX-License-Identifier: Apache-2.0
// nvmlab man: the man page, for the build and for packages. Tests: tests/tool/help_test.cpp.
#include "tool/commands/run_functions.hpp"
#include "tool/help.hpp"
#include "tool/output.hpp"

namespace nvmlab::tool {

int run_man(const Arguments&) {
  print(std::string_view(manual()));
  return kGood;
}

}  // namespace nvmlab::tool
