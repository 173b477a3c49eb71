// SPDX-License-Identifier: Apache-2.0
//
// The one place where the importer makes YAML: a profile with the machine and its boards, each with what the inputs say
// beyond the families that it inherits, in the order of the vocabulary. Tests: tests/unit/import/import_test.cpp,
// observation_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "import/write/split_boards.hpp"

namespace nvmlab::importer {

// The first source is that of everything that names none.
std::string write_profile(const Evidence& evidence, const BoardSplit& split, const std::string& machine);

// A value as people write it: masks and ids in hexadecimal, bytes in MiB, runs of numbers as {from, to, step}, equal
// items of a list once with `repeat`.
std::string print_value(std::string_view field, const FieldValue& value);

}  // namespace nvmlab::importer
