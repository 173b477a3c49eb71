// SPDX-License-Identifier: Apache-2.0
//
// The part of a verdict that says what is read: `read` with its outputs, for one item or a list of the state, once or
// for each choice of enumerators. model/meaning/README.md describes the form.
#pragma once

#include "base/yaml/tree.hpp"
#include "codegen/meaning/verdicts.hpp"

namespace nvmlab::codegen {

// A number that is not negative.
Result<std::uint32_t> whole_number(const yaml::Node& node);

// The nodes of a verdict that say it.
struct ReadingNodes {
  const yaml::Node* read = nullptr;
  const yaml::Node* list = nullptr;     // of `item` and `list`
  const yaml::Node* any = nullptr;      // of `item`: a field that some item must have
  const yaml::Node* by = nullptr;       // of a choice
  const yaml::Node* choices = nullptr;  // likewise, for paths with a parameter in them: "ecc.{errorType}"
  const yaml::Node* with = nullptr;     // of `same_as` and `change`
};

// Fills `cases` and `by` of the verdict; `function` may be null, where no header declares it.
Result<void> read_cases(const ReadingNodes& nodes, const Function* function, const Vocabulary& vocabulary,
                        Verdict& verdict);

// "power" of the only pointer, or the last parameter of a setter; empty where it is not clear.
std::string only_output(const Function* function);

// The names of C that stand for return codes in a verdict: "NOT_SUPPORTED", "NONE" for no error.
std::string return_code(const std::string& name);

}  // namespace nvmlab::codegen
