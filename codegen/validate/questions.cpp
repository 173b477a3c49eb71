// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "codegen/validate/probe.hpp"

namespace nvmlab::codegen {
namespace {

class Asker {
 public:
  std::vector<Question> ask(const Release& release) {
    for (const Record& record : release.records)
      ask_record(record);
    for (const Enum& entry : release.enums)
      ask_enum(entry);
    for (const Typedef& entry : release.typedefs)
      same_type(entry.name, entry.name, entry.target.text());
    for (const Handle& handle : release.handles)
      same_type(handle.name, handle.name, fmt::format("struct {}*", handle.tag));
    for (const Macro& macro : release.macros)
      ask_macro(macro);
    for (const Function& function : release.functions)
      ask_function(function);
    return std::move(questions_);
  }

 private:
  void add(std::string what, std::string expression, std::uint64_t expected) {
    questions_.push_back({std::move(what), std::move(expression), expected});
  }

  void same_type(const std::string& what, std::string_view expression, std::string_view type) {
    add(fmt::format("{} is {}", what, type), fmt::format("__builtin_types_compatible_p({}, {})", expression, type), 1);
  }

  void ask_record(const Record& record) {
    add(fmt::format("size of {}", record.name), fmt::format("sizeof({})", record.name), record.size);
    add(fmt::format("alignment of {}", record.name), fmt::format("_Alignof({})", record.name), record.align);
    ask_fields(record.name, record, "", 0);
  }

  // `path` leads from the outermost record to the enclosing one, ready to be followed by a field's name.
  void ask_fields(const std::string& name, const Record& record, const std::string& path, std::uint64_t base) {
    for (const Field& field : record.fields) {
      const std::string inner = field.name.empty() ? path : path + field.name;
      if (!field.name.empty()) {
        const std::string what = fmt::format("{}.{}", name, inner);
        const std::string member = fmt::format("(({}*)0)->{}", name, inner);
        add("offset of " + what, fmt::format("offsetof({}, {})", name, inner), base + field.offset);
        add("size of " + what, fmt::format("sizeof({})", member), field.size);
        if (field.nested.empty())
          same_type(what, fmt::format("__typeof__({})", member), field.type.text() + extents(field));
      }
      if (field.nested.empty()) continue;
      std::string next = inner;
      if (!field.name.empty()) {
        for (std::size_t i = 0; i < field.extents.size(); ++i)
          next += "[0]";
        next += '.';
      }
      ask_fields(name, field.nested.front(), next, base + field.offset);
    }
  }

  static std::string extents(const Field& field) {
    std::string text;
    for (const Extent& extent : field.extents)
      text += fmt::format("[{}]", extent.count);
    return text;
  }

  void ask_enum(const Enum& entry) {
    add(fmt::format("size of {}", entry.name), fmt::format("sizeof({})", entry.name), 4);
    add(fmt::format("sign of {}", entry.name), fmt::format("({})-1 < 0", entry.name),
        entry.underlying == "int" ? 1 : 0);
    for (const Enumerator& enumerator : entry.enumerators) {
      add(fmt::format("value of {}", enumerator.name), fmt::format("(long long){}", enumerator.name),
          static_cast<std::uint64_t>(enumerator.value));
    }
  }

  void ask_macro(const Macro& macro) {
    // With the guard on, upgrade macros are not there.
    if (macro.unguarded) return;
    if (macro.kind == MacroKind::string) {
      add(fmt::format("text of {}", macro.name), fmt::format("__builtin_strcmp({}, {}) == 0", macro.name, macro.text),
          1);
    }
    if (!macro.value) return;
    add(fmt::format("value of {}", macro.name), macro.name, macro.value->bits);
    // Of an alias of an enumerator, C leaves the type to the compiler.
    if (macro.kind != MacroKind::alias)
      same_type(macro.name, fmt::format("__typeof__({})", macro.name), macro.value->type);
  }

  void ask_function(const Function& function) {
    std::string list;
    for (const Parameter& parameter : function.parameters)
      list += (list.empty() ? "" : ", ") + parameter.type.text();
    same_type(function.name, fmt::format("__typeof__({})", function.name),
              fmt::format("{}({})", function.returns.text(), list.empty() ? "void" : list));
  }

  std::vector<Question> questions_;
};

}  // namespace

std::vector<Question> questions_about(const Release& release) { return Asker().ask(release); }

}  // namespace nvmlab::codegen
