// SPDX-License-Identifier: Apache-2.0
// A machine in one line, for people: "8 x NVIDIA H100 80GB HBM3, driver 550.163.01". Tests:
// tests/command/machines_test.cpp.
#pragma once

#include <string>

#include "compiler/compile.hpp"

namespace nvmlab::tool {

std::string boards_of(const compiler::Machine& machine);
std::string driver_of(const compiler::Machine& machine);  // empty where the profile names none
std::string summary_of(const compiler::Machine& machine);

}  // namespace nvmlab::tool
