// SPDX-License-Identifier: Apache-2.0
// nvmlab man: the man page, for the build and for packages. Tests: tests/command/help_test.cpp.
#include "command/cli/command.hpp"
#include "command/cli/help.hpp"
#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

struct Man {
  void declare(CommandLine&) {}
  int run() const;
};

int Man::run() const {
  print(std::string_view(manual(Application())));
  return kGood;
}

}  // namespace

extern const Command kMan{
    .name = "man",
    .summary = "Print the man page",
    .about = "Prints nvmlab(1) in the macros of man.",
    .declare = declared<Man>,
    .hidden = true,
};

}  // namespace nvmlab::tool
