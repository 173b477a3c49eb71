// SPDX-License-Identifier: Apache-2.0
// The verdicts `item`, `list` and `length`, and arrays within structs, run backwards for recordings: which output of
// which call tells which member of which item.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/recorded_parts.hpp"

namespace nvmlab::codegen {
namespace {

constexpr const char* kNotSupportedName = "NVML_ERROR_NOT_SUPPORTED";

// How the output stands for the member, where it is not the same.
std::string form(const Binding& binding) {
  if (!binding.told.empty()) return ", .as = As::" + binding.told;
  if (binding.instead.starts_with("~0")) return ", .as = As::or_unknown";
  return binding.instead.empty() ? "" : ", .as = As::or_zero";
}

class ListTables {
 public:
  ListTables(const Inputs& inputs, const Verdicts& verdicts) : inputs_(inputs) {
    for (const auto& [name, own] : verdicts) {
      const Verdict& verdict = resolved(verdicts, own);
      if (verdict.subject.given()) continue;  // read from recordings of the GPU alone
      target_ = declared(inputs_, verdict.function);
      function_ = declared(inputs_, name);
      for (const Case& each : verdict.cases)
        add(name, verdict, each);
    }
  }

  std::string text() const {
    return fmt::format(
        "inline constexpr ItemRow kItemRows[] = {{\n{}}};\n\n"
        "inline constexpr ListRow kListRows[] = {{\n{}}};\n\n"
        "inline constexpr LengthRow kLengthRows[] = {{\n{}}};\n\n",
        items_, lists_, lengths_);
  }

 private:
  void add(const std::string& name, const Verdict& verdict, const Case& each) {
    const std::string head =
        fmt::format(R"(    {{.function = "{}", .when = "{}")", name, condition(verdict, each, target_, function_));
    if (verdict.kind == VerdictKind::item) {
      for (const Binding& binding : each.bindings)
        add_item(head, verdict, each, binding);
    } else if (verdict.kind == VerdictKind::list) {
      for (const Binding& binding : each.bindings)
        add_column(head, verdict, each, binding);
    } else if (verdict.kind == VerdictKind::length) {
      add_length(head, verdict, each);
    } else if (verdict.kind == VerdictKind::read) {
      for (const Binding& binding : each.bindings)
        add_array(head, binding);
    }
  }

  std::string name_of(const std::string& path) const { return renamed(target_, function_, path); }

  // An input by its name in recordings; numbers as they are.
  std::string input(const std::string& path) const { return recorded_input(name_of(path)); }

  void add_item(const std::string& head, const Verdict& verdict, const Case& each, const Binding& binding) {
    if (binding.source != ValueSource::field || binding.path.empty() || binding.told == "nothing") return;
    const Selection& item = verdict.item;
    std::string row = fmt::format(R"({}, .list = "{}", .item = "{}")", head, each.list,
                                  input(item.key.empty() ? item.by : item.value));
    if (!item.key.empty()) row += fmt::format(R"(, .key = "{}")", item.key);
    if (!item.inner.empty())
      row += fmt::format(R"(, .inner = "{}", .inner_item = "{}")", item.inner, input(item.inner_at));
    row += fmt::format(R"(, .output = "{}", .member = "{}")", name_of(binding.target), binding.path);
    if (!binding.bit.empty()) row += fmt::format(R"(, .bit = "{}")", input(binding.bit));
    items_ += row + form(binding) + "},\n";
  }

  // "infos.pid" is the member pid of each of infos, and "errorCounts.entries.unit" the member unit of each of
  // errorCounts.entries; "addresses" is an array of numbers.
  void add_column(const std::string& head, const Verdict& verdict, const Case& each, const Binding& binding) {
    const bool itself = binding.source == ValueSource::itself;
    if (!itself && (binding.source != ValueSource::field || binding.path.empty())) return;
    const std::string target = name_of(binding.target);
    const bool within = verdict.count.find('.') != std::string::npos;
    const auto dot = target.find('.', within ? target.find('.') + 1 : 0);
    std::string row = fmt::format(R"({}, .list = "{}", .items = "{}")", head, each.list, target.substr(0, dot));
    if (dot != std::string::npos) row += fmt::format(R"(, .column = "{}")", target.substr(dot + 1));
    if (!itself) row += fmt::format(R"(, .member = "{}")", binding.path);
    if (!verdict.item.inner.empty()) {
      row += fmt::format(R"(, .inner = "{}", .key = "{}", .input = "{}")", verdict.item.inner, verdict.item.key,
                         input(verdict.item.value));
    }
    lists_ += row + refusal(verdict.empty) + form(binding) + "},\n";
  }

  // An array within a struct, or one whose size is in bytes.
  void add_array(const std::string& head, const Binding& binding) {
    const std::string array =
        fmt::format(R"({}, .list = "{}", .items = "{}")", head, binding.path, name_of(binding.target));
    if (binding.source == ValueSource::fill) {
      for (const Binding& column : binding.columns)
        lists_ += fmt::format("{}, .member = \"{}\", .rest = \"{}\"{}}},\n", array, column.path, binding.rest,
                              refusal(kNotSupportedName));
    }
    if (binding.source != ValueSource::items) return;
    for (const Binding& column : binding.columns) {
      if (column.source != ValueSource::field) continue;  // bytes, which recordings have in hexadecimal
      lists_ += fmt::format("{}, .column = \"{}\", .member = \"{}\"{}{}}},\n", array, column.target, column.path,
                            refusal(binding.empty), form(column));
    }
  }

  void add_length(const std::string& head, const Verdict& verdict, const Case& each) {
    for (const Binding& binding : each.bindings) {
      if (binding.path.find('.') == std::string::npos) continue;  // GPUs
      lengths_ += fmt::format("{}, .output = \"{}\", .list = \"{}\"{}}},\n", head, name_of(binding.target),
                              binding.path, refusal(verdict.empty.empty() ? binding.empty : verdict.empty));
    }
  }

  static std::string refusal(const std::string& code) {
    return code == kNotSupportedName ? ", .refused_if_empty = true" : "";
  }

  const Inputs& inputs_;
  Function target_, function_;
  std::string items_, lists_, lengths_;
};

}  // namespace

std::string recorded_lists(const Inputs& inputs, const Verdicts& verdicts) {
  return ListTables(inputs, verdicts).text();
}

}  // namespace nvmlab::codegen
