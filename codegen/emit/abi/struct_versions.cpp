// SPDX-License-Identifier: Apache-2.0
// struct_versions.hpp: the version words of versioned structs, computed, by name and by type.
#include <fmt/format.h>

#include "codegen/emit/abi.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen::abi {

std::string struct_versions(const Inputs& inputs) {
  std::string by_name;
  std::string by_type;
  for (const Macro& macro : inputs.newest.macros) {
    const auto version = struct_version_of(macro);
    if (!version) continue;
    const std::string name = constant_name(macro.name);
    by_name += fmt::format("inline constexpr unsigned int {} = make(sizeof({}), {});\n", name, version->record,
                           version->number);
    by_type += fmt::format("template <>\ninline constexpr unsigned int version_of<{}> = struct_version::{};\n",
                           version->record, name);
  }
  const std::string body = fmt::format(
      "namespace struct_version {{\n\n"
      "// NVML's formula: the size in the low 24 bits, the version above.\n"
      "constexpr unsigned int make(unsigned long size, unsigned int version) {{\n"
      "  return static_cast<unsigned int>(size) | (version << 24U);\n}}\n\n{}\n"
      "}}  // namespace struct_version\n\n"
      "// The version word by type; a type that has none does not compile.\n"
      "template <class T>\ninline constexpr unsigned int version_of = T::has_no_version_word;\n\n{}",
      by_name, by_type);
  return header_text(
      "Version words: the header's macro nvmlX_vN is struct_version::X_vN here, and version_of<nvmlX_vN_t>.",
      "#include \"nvmlab/abi/generated/types.hpp\"\n", body);
}

}  // namespace nvmlab::codegen::abi
