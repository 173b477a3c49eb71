// SPDX-License-Identifier: Apache-2.0
// What a person wrote of the binding, read from its headers (binding/nvmlab/nvml/*.hpp), so that C++ stands in C++:
//
//   // C: nvmlDeviceGetFieldValues. Into the caller's memory; nothing is allocated.
//   Result<void> read_fields(const State& state, abi::nvmlDevice_t device, std::span<const Field> fields, ...);
//
// is the body of a method: the generator declares the method with the parameters behind the object's own, and adds the
// sentences behind the name to its comment. `/// C: NAME` above a method of a class says that nothing is left to do.
// Covered by tests/unit/codegen/hand_written_test.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

struct HandWritten {
  struct Body {
    std::string name;                     // of the function, in nvml::detail
    std::string result;                   // within Result<>
    std::vector<std::string> parameters;  // "const State& state", "abi::nvmlDevice_t device", "Field field"
    std::string remark;
    std::string header;  // to include
    std::size_t line = 0;
  };
  std::map<std::string, std::vector<Body>, std::less<>> bodies;  // by C function; several are overloads
  std::set<std::string, std::less<>> methods;                    // C functions with a method in a hand-written class
};

// Adds what one header declares.
Result<void> read_hand_written(std::string_view text, const std::string& header, HandWritten& all);

Result<HandWritten> load_hand_written(const std::filesystem::path& folder);

// That each body is of a function of the plan.
struct Plan;
Result<void> check_names(const HandWritten& hand, const Plan& plan);

}  // namespace nvmlab::codegen
