// SPDX-License-Identifier: Apache-2.0
// The walk: every getter about everything that a library knows. The library is initialised, and stays so.
// Tests: tests/command/record_test.cpp, tests/drivers/suite/suite_test.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "recorder/library.hpp"
#include "recorder/lines.hpp"
#include "recorder/mask.hpp"
#include "recorder/objects.hpp"

namespace nvmlab::recorder {

struct WalkOptions {
  std::span<const std::string> skip;  // functions that are not called
};

// How many lines it wrote: functions that the library lacks, then one for each call.
unsigned walk(const Library& library, const Objects& objects, Masker& masker, Lines& lines, const WalkOptions& options);

}  // namespace nvmlab::recorder
