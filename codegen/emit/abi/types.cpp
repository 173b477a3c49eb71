// SPDX-License-Identifier: Apache-2.0
// types.hpp: handles, scalars, structs, unions and aliases; each after what it needs, else by name.
#include <fmt/format.h>

#include <set>

#include "codegen/emit/abi.hpp"

namespace nvmlab::codegen::abi {
namespace {

class TypesWriter {
 public:
  explicit TypesWriter(const Inputs& inputs) : inputs_(inputs), release_(inputs.newest) {}

  std::string body() {
    for (const Handle& handle : release_.handles)
      text_ += fmt::format("using {} = {}*;\n\n", handle.name, handle.tag);
    for (const Typedef& entry : release_.typedefs)
      write(entry.name);
    for (const Record& record : release_.records)
      write(record.name);
    write_type_macros();
    return std::move(text_);
  }

 private:
  // Writes a type once, after the types that it is made of. The facts come from a compiler, so there is no ring.
  void write(const std::string& name) {
    if (!written_.insert(name).second) return;
    if (const Record* record = find(release_.records, name)) {
      write_needs(*record);
      text_ += fmt::format("// since {}, {} bytes\n{} {} {{\n", since(name), record->size, keyword(*record), name);
      write_fields(*record, "  ");
      text_ += "};\n\n";
    } else if (const Typedef* entry = find(release_.typedefs, name)) {
      write(entry->target.base);
      text_ += fmt::format("using {} = {};\n\n", name, entry->target.text());
    }
  }

  void write_needs(const Record& record) {
    for (const Field& field : record.fields) {
      if (field.nested.empty()) {
        write(field.type.base);
      } else {
        write_needs(field.nested.front());
      }
    }
  }

  void write_fields(const Record& record, const std::string& indent) {
    for (const Field& field : record.fields) {
      if (field.nested.empty()) {
        text_ += fmt::format("{}{};\n", indent, declarator(field, field.type.text(), &release_));
      } else {
        text_ += fmt::format("{}{} {{\n", indent, keyword(field.nested.front()));
        write_fields(field.nested.front(), indent + "  ");
        text_ +=
            field.name.empty() ? indent + "};\n" : fmt::format("{}{};\n", indent, declarator(field, "}", &release_));
      }
    }
  }

  // A macro that renames a type. A typedef, because after NVIDIA's header it reads `typedef T T;`, which C++ allows.
  void write_type_macros() {
    for (const Macro& macro : release_.macros) {
      const bool type = macro.kind == MacroKind::alias &&
                        (find(release_.enums, macro.text) != nullptr || written_.contains(macro.text));
      if (type) text_ += fmt::format("typedef {} {};  // NOLINT(modernize-use-using)\n", macro.text, macro.name);
    }
  }

  std::string since(const std::string& name) const {
    const auto* spans = history(inputs_.registry.records, name);
    return spans == nullptr ? std::string{} : spans->front().since;
  }

  static std::string_view keyword(const Record& record) { return record.is_union ? "union" : "struct"; }

  const Inputs& inputs_;
  const Release& release_;
  std::set<std::string> written_;
  std::string text_;
};

}  // namespace

std::string types(const Inputs& inputs) {
  std::string tags =
      "\n// In the global namespace, so that a handle is of one type with that of a nvml.h in the same file.\n";
  for (const Handle& handle : inputs.newest.handles)
    tags += fmt::format("struct {};\n", handle.tag);
  return header_text(
      "Handles, scalars, structs, unions and their aliases, as NVML " + inputs.newest.version + " has them.",
      "#include \"nvmlab/abi/generated/constants.hpp\"\n#include \"nvmlab/abi/generated/enums.hpp\"\n" + tags,
      TypesWriter(inputs).body());
}

}  // namespace nvmlab::codegen::abi
