// SPDX-License-Identifier: Apache-2.0
// Single words of a verdict.
#include <charconv>

#include "codegen/meaning/readings.hpp"

namespace nvmlab::codegen {

using yaml::Node;

std::string only_output(const Function* function) {
  std::string name;
  if (function == nullptr) return name;
  for (const Parameter& parameter : function->parameters) {
    if (parameter.type.pointers == 0) continue;
    if (!name.empty()) return {};
    name = parameter.name;
  }
  // A setter's value is no pointer: the last parameter.
  if (name.empty() && !function->parameters.empty()) name = function->parameters.back().name;
  return name;
}

std::string return_code(const std::string& name) { return name == "SUCCESS" ? "NVML_SUCCESS" : "NVML_ERROR_" + name; }

Result<std::uint32_t> whole_number(const Node& node) {
  std::uint32_t value = 0;
  const char* end = node.scalar.data() + node.scalar.size();
  if (auto [stop, failed] = std::from_chars(node.scalar.data(), end, value); failed != std::errc{} || stop != end)
    return fail_at(node, "a number was expected, found '" + node.scalar + "'");
  return value;
}

}  // namespace nvmlab::codegen
