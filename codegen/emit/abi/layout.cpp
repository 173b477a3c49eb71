// SPDX-License-Identifier: Apache-2.0
// layout.hpp: what a C compiler said about NVIDIA's header, asserted about our declarations.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/abi.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen::abi {
namespace {

// `path` leads from the outermost record to the enclosing one: "" or "sensor[0]." and so on.
void write_fields(std::string& text, const std::string& name, const Record& record, const std::string& path,
                  std::uint64_t base) {
  for (const Field& field : record.fields) {
    const std::uint64_t offset = base + field.offset;
    if (!field.name.empty()) {
      text += fmt::format("static_assert(offsetof({}, {}{}) == {});\n", name, path, field.name, offset);
      if (path.empty()) text += fmt::format("static_assert(sizeof({}::{}) == {});\n", name, field.name, field.size);
    }
    if (field.nested.empty()) continue;
    std::string inner = path;
    if (!field.name.empty()) {
      inner += field.name;
      for (std::size_t i = 0; i < field.extents.size(); ++i)
        inner += "[0]";
      inner += '.';
    }
    write_fields(text, name, field.nested.front(), inner, offset);
  }
}

}  // namespace

std::string layout(const Inputs& inputs) {
  std::string body;
  for (const Record& record : inputs.newest.records) {
    body += size_asserts(record.name, record);
    write_fields(body, record.name, record, "", 0);
  }
  body += '\n';
  for (const Enum& entry : inputs.newest.enums) {
    body += fmt::format("static_assert(sizeof({}) == sizeof({}));\n", entry.name, entry.underlying);
  }
  body += '\n';
  for (const Macro& macro : inputs.newest.macros) {
    const auto version = struct_version_of(macro);
    if (version && macro.value)
      body += fmt::format("static_assert(struct_version::{} == {}U);\n", constant_name(macro.name), macro.value->bits);
  }
  return header_text(
      "Sizes and offsets of NVIDIA's own header on x86_64 Linux, asserted. For one translation unit only "
      "(binding/nvmlab/abi/layout.cpp).",
      "#include <cstddef>\n\n#include \"nvmlab/abi/generated/struct_versions.hpp\"\n", body);
}

}  // namespace nvmlab::codegen::abi
