// SPDX-License-Identifier: Apache-2.0
// A second opinion: a C program that asks the machine's own C compiler about NVIDIA's header, so that facts which
// libclang extracted (and a JSON file stored) are checked by another compiler: sizes, alignments, every offset, field
// types, values and types of macros, enumerators, function types. Covered by tests/unit/codegen/validate_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/model/facts.hpp"

namespace nvmlab::codegen {

// One question: an expression of C that gives a number, and the answer that the facts expect.
struct Question {
  std::string what;
  std::string expression;
  std::uint64_t expected = 0;
};

std::vector<Question> questions_about(const Release& release);

// The program: prints one answer a line, in order.
std::string probe_program(const std::filesystem::path& header, const std::vector<Question>& questions);

// Compiles and runs the program; each wrong answer in words. An error if the compiler refuses the program: a name that
// the facts know and the header does not have is such a case, and the compiler's first message says which.
Result<std::vector<std::string>> wrong_answers(const Release& release, const std::filesystem::path& header,
                                               const std::string& compiler);

// How a header differs from the facts of its release, both ways, by name; empty if it is what the registry says.
std::vector<std::string> deviations(const Release& facts, const Release& header);

}  // namespace nvmlab::codegen
