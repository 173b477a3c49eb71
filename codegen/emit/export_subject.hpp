// SPDX-License-Identifier: Apache-2.0
// Everything that one export's text is made from, and what its parameters need to be checked for.
#pragma once

#include <string>
#include <vector>

#include "codegen/emit/export_bodies.hpp"

namespace nvmlab::codegen {

struct ExportSubject {
  const Inputs& inputs;
  const Vocabulary& vocabulary;
  const Verdict& verdict;
  Function function;   // parameters with types that the newest header knows
  std::string layout;  // of the struct behind a pointer, where callers of this name have an old one
  std::vector<std::string> arguments = {};  // of the caller: some parameters may be constants
  std::string table = {};                   // of the choice that the body makes; stands above the export
};

// "  return read<Fn::nvmlDeviceGetPowerUsage>(args(device, power), PART, PART);\n"; `types` are further arguments
// of the template.
std::string shape_call(const ExportSubject& subject, const std::string& shape, const std::vector<std::string>& parts,
                       const std::string& types = "");

// "[&](const Device& gpu) { return answer(gpu.slot); }", or the machine for functions without a device. `body` is one
// statement, or lines.
std::string body_lambda(const ExportSubject& subject, const std::string& body);

const Parameter* parameter(const Function& function, const std::string& name);

// The versions that a struct's name has, oldest first: "nvmlMemory_v2_t" and "nvmlMemory_t" alike.
std::vector<const Record*> versions_of(const Inputs& inputs, const Verdict& verdict, const Parameter& parameter);

// Whether a parameter's struct is this version of it, so that its type says the version word.
bool is_layout_of(const ExportSubject& subject, const Parameter& parameter, const Record& version);

// "struct_version::ClockOffset_v1"
std::string version_word(const Record& record);

// {"power", "known_version(info, struct_version::ClockOffset_v1)"}: the pointers that must not be null, with the
// version words of structs that have one.
std::vector<std::string> checked_pointers(const ExportSubject& subject);

// The body, and what call() checks before it runs.
std::vector<std::string> with_checks(const ExportSubject& subject, const std::string& body);

// A call with the newest layout of the caller's struct, as `newest`: what opens and closes the lambda around it. Both
// are empty where the caller has that layout. `function` gets the parameter's new name.
struct Layouts {
  std::string open;
  std::string close;
};
Result<Layouts> newest_layout(const ExportSubject& subject, Function& function);

}  // namespace nvmlab::codegen
