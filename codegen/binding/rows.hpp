// SPDX-License-Identifier: Apache-2.0
// The rows of model/binding/functions/*.yaml: what the facts do not say about a function of the binding.
// model/binding/README.md describes the form. Covered by tests/unit/codegen/binding_rows_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

struct FunctionRow {
  std::string says;
  std::string boards;
  std::string name;      // of the method; empty: derived
  std::string on;        // the class; empty: by the first parameter
  std::string protocol;  // of a list: one letter
  std::string text;      // size of a text's buffer: a number or a constant of nvml::abi
  std::string shape;     // "hand"; empty: derived
  std::string result;    // name of the struct made for several outputs; empty: the method's
  std::string family;    // "no": a method of its own; the C name of a version; empty: derived
  std::map<std::string, std::string, std::less<>> units;    // by parameter
  std::map<std::string, std::string, std::less<>> nothing;  // by parameter: the sentinel, a C++ expression
  std::map<std::string, std::string, std::less<>> roles;    // by parameter: in, out, inout
  std::map<std::string, std::string, std::less<>> names;    // by parameter or key: in C++
  std::map<std::string, std::string, std::less<>> tells;    // by output of several: what it is, in a sentence
  std::map<std::string, std::string, std::less<>> range;    // by parameter: the function that tells what is allowed
  std::vector<std::string> empty;                           // codes that mean an empty list
  std::vector<std::string> keys;                            // members of a struct that the caller gives
  std::vector<std::pair<std::string, std::string>> errors;  // code and reason, in the order of the file

  std::string topic;    // the file
  std::string subject;  // its heading in the reference; empty in the file: the file's
  std::string file;     // and where in it, for messages
  std::size_t line = 0;
};

using FunctionRows = std::map<std::string, FunctionRow, std::less<>>;

// A folder that is not there has no rows. A row of a function that the newest header does not have, and one that names
// a parameter that the function does not have, are errors.
Result<FunctionRows> load_function_rows(const std::filesystem::path& folder, const Release& newest);

}  // namespace nvmlab::codegen
