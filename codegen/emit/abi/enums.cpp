// SPDX-License-Identifier: Apache-2.0
// enums.hpp: unscoped enumerations with the underlying type that a C compiler gives them, enumerators under NVML's
// names.
#include <fmt/format.h>

#include "codegen/emit/abi.hpp"

namespace nvmlab::codegen::abi {

std::string enums(const Inputs& inputs) {
  std::string body;
  for (const Enum& entry : inputs.newest.enums) {
    body += fmt::format("enum {} : {} {{\n", entry.name, entry.underlying);
    for (const Enumerator& enumerator : entry.enumerators)
      body += fmt::format("  {} = {},\n", enumerator.name, enumerator.value);
    body += "};\n\n";
  }
  body.pop_back();
  return header_text("Enumerations, by name; enumerators by value.", "", body);
}

}  // namespace nvmlab::codegen::abi
