// SPDX-License-Identifier: Apache-2.0
//
// The meaning vocabulary (model/meaning/*.yaml): exactly one verdict for every exported function, checked against the
// facts and the state vocabulary. model/meaning/README.md describes the form. Tests:
// tests/unit/codegen/verdicts_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/error.hpp"
#include "codegen/model/registry.hpp"
#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

enum class VerdictKind : std::uint8_t { read, write, same_as, call, unsupported };

// "power" or "utilization.gpu" -> "power.draw_mw"; a choice has the enumerator in place of the parameter.
struct Binding {
  std::string target;
  std::string path;  // empty: supported by no board
};

struct Verdict {
  std::string function;
  std::string topic;
  VerdictKind kind{};
  std::vector<Binding> bindings;
  std::string chosen_by;  // parameter whose value picks one of the bindings
  std::string otherwise = "NVML_ERROR_INVALID_ARGUMENT";
  std::vector<std::string> optional;    // pointers that may be null
  std::uint32_t text_size = 0;          // of a text without a length parameter
  std::vector<std::uint32_t> versions;  // of its versioned struct; empty: all that the struct's name has
  bool before_init = false;
  std::uint32_t highest = 1;  // of a write
  std::string same_as;
  std::string layout;  // of same_as: the layout that callers of this name have, where it is not the other's
  std::string reason;  // of unsupported: why; of call: what is special
  std::string answer = "NVML_ERROR_NOT_SUPPORTED";
  std::vector<Parameter> parameters;  // of a function that no header declares
};

inline constexpr const char* kNotSimulatedYet = "not simulated yet";

using Verdicts = std::map<std::string, Verdict>;  // by function

// A field of the state by its path, with the C++ expression that reaches it from Gpu or Node.
struct FieldPath {
  const StateTopic* topic = nullptr;
  const StateField* field = nullptr;
};

Result<FieldPath> find_field(const Vocabulary& vocabulary, const std::string& path);

// `functions` is every name that the library exports; a name without a verdict, or a verdict without a name, is an
// error.
Result<Verdicts> load_verdicts(const std::filesystem::path& folder, const std::vector<std::string>& functions,
                               const Registry& registry, const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
