// SPDX-License-Identifier: Apache-2.0
// model/recording.yaml: what neither the facts nor the binding's rows say about walking a library. Covered by
// tests/unit/codegen/walk_rules_test.cpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen::walk {

// "nvmlGet*.index" fits "nvmlGetThing.index"; a pattern without a dot fits the part behind the dot.
bool fits(std::string_view pattern, std::string_view name);

struct InputRule {
  std::string pattern;
  std::string numbers;            // a number or a macro: 0 up to one below it
  std::vector<long long> values;  // exactly these
  std::string up_to;              // FUNCTION.PARAMETER that tells how many there are; one more is tried
  std::vector<std::string> seen;  // outputs, by FUNCTION.PARAMETER or STRUCT.MEMBER, with stars
  bool while_supported = false;   // the range ends where its first number is not supported
  std::string place;              // in the file, for messages
  mutable bool used = false;
};

struct Rules {
  std::map<std::string, std::string, std::less<>> not_asked;  // with the reason
  std::vector<std::string> by_hand;
  std::vector<std::string> also_asked;
  std::vector<InputRule> inputs;
  std::map<std::string, std::string, std::less<>> subjects;  // what to the output that tells their numbers
  std::map<std::string, std::string, std::less<>> scopes;    // form of a field's row to a number or a macro
  std::map<std::string, std::vector<std::string>, std::less<>> identifiers;  // Mask to patterns

  // Of "nvmlDeviceGetFanSpeed_v2.fan"; null: no row covers it.
  const InputRule* input(std::string_view name) const;
  // "none", or what becomes of an output: by "FUNCTION.PARAMETER" or "STRUCT.MEMBER".
  std::string mask(std::string_view name) const;
};

Result<Rules> load_rules(const std::filesystem::path& file);

}  // namespace nvmlab::codegen::walk
