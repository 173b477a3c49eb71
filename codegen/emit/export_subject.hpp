// SPDX-License-Identifier: Apache-2.0
// Everything that one export's text is made from, and what its parameters need to be checked for.
#pragma once

#include "codegen/emit/export_bodies.hpp"

namespace nvmlab::codegen {

struct ExportSubject {
  const Inputs& inputs;
  const Vocabulary& vocabulary;
  const Verdict& verdict;
  Function function;   // parameters with types that the newest header knows
  std::string layout;  // of the struct behind a pointer, where callers of this name have an old one
};

const Parameter* parameter(const Function& function, const std::string& name);

// The versions that a struct's name has, oldest first: "nvmlMemory_v2_t" and "nvmlMemory_t" alike.
std::vector<const Record*> versions_of(const Inputs& inputs, const Verdict& verdict, const Parameter& parameter);

// "struct_version::ClockOffset_v1"
std::string version_word(const Record& record);

// ", power, known_version(info, struct_version::ClockOffset_v1)": the pointers that must not be null, with the version
// words of structs that have one.
std::string checked_pointers(const ExportSubject& subject);

// A call with the newest layout of the caller's struct, as `newest`: what opens and closes the lambda around it. Both
// are empty where the caller has that layout. `function` gets the parameter's new name.
struct Layouts {
  std::string open;
  std::string close;
};
Result<Layouts> newest_layout(const ExportSubject& subject, Function& function);

}  // namespace nvmlab::codegen
