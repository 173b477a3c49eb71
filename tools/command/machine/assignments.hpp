// SPDX-License-Identifier: Apache-2.0
// What `nvmlab set` and `nvmlab release` ask of a machine, as commands name it. Tests: tests/command/get_set_test.cpp.
#pragma once

#include "control/assignments.hpp"

namespace nvmlab::tool {

using control::assign;
using control::Assignment;
using control::Force;
using control::release;

}  // namespace nvmlab::tool
