// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/export_changes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/emit/designated.hpp"
#include "codegen/emit/export_parts.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen {
namespace {

// Lines of a lambda's body, further in for each brace that is open.
class Lines {
 public:
  void add(const std::string& line) { text_ += std::string(indent_, ' ') + line + "\n"; }
  void open(const std::string& line) {
    add(line);
    indent_ += kDeeper;
  }
  void close(const std::string& line) {
    indent_ -= kDeeper;
    add(line);
  }
  const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kDeeper = 2;

  std::size_t indent_ = 2 * kDeeper;
  std::string text_;
};

// What C says of an argument, or of a member of the struct behind one.
struct Input {
  Type type;
  bool array = false;
};

Result<Input> input_of(const ExportSubject& subject, const Function& inner, const std::string& path) {
  const auto steps = steps_of(path);
  const Parameter* from = inner_parameter(subject, inner, steps[0]);
  Input input{from->type, false};
  for (auto step = steps.begin() + 1; step != steps.end(); ++step) {
    const Record* record = resolve_record(subject.inputs.newest, input.type.base);
    const Field* field = nullptr;
    if (record != nullptr) {
      const auto found = std::ranges::find(record->fields, *step, &Field::name);
      if (found != record->fields.end()) field = &*found;
    }
    if (field == nullptr)
      return fail(fmt::format("{}: '{}' is not a member of {}", subject.verdict.function, *step, input.type.base));
    input = {field->type, !field->extents.empty()};
  }
  return input;
}

bool is_enumeration(const Release& release, std::string name) {
  while (const Typedef* alias = find(release.typedefs, name))
    name = alias->target.base;
  return find(release.enums, name) != nullptr;
}

// The value of a member: an argument as the engine has it, or a constant, whose dots are C++'s colons.
Result<std::string> value_text(const ExportSubject& subject, const Function& inner, const std::string& value) {
  if (inner_parameter(subject, inner, steps_of(value)[0]) == nullptr)
    return fmt::format("{}", fmt::join(steps_of(value), "::"));
  const auto input = input_of(subject, inner, value);
  if (!input) return std::unexpected(input.error());
  const std::string text = input_text(subject, inner, value);
  const Release& release = subject.inputs.newest;
  if (input->array || (is_member(value) && resolve_record(release, input->type.base) != nullptr))
    return fmt::format("taken({})", text);
  if (is_enumeration(release, input->type.base)) return fmt::format("static_cast<std::uint32_t>({})", text);
  return !is_member(value) && input->type.pointers == 1 ? "*" + text : text;
}

// SetPowerLimit{.scope = PowerScope::gpu, .milliwatts = limit}, for the caller's choice; nothing where no board has it.
Result<std::string> change_text(const ExportSubject& subject, const Function& inner, const std::string& choice) {
  Designated members;
  for (const ChangeMember& each : subject.verdict.members) {
    const auto chosen = std::ranges::find(each.table, choice, &std::pair<std::string, std::string>::first);
    const std::string& said = chosen == each.table.end() ? each.value : chosen->second;
    if (said.empty()) return "";
    const auto value = value_text(subject, inner, said);
    if (!value) return value;
    members.with(each.name, *value);
  }
  return subject.verdict.change + members.row();
}

// Whether a change reads memory of the caller, whose pointers have to be checked first.
bool follows_pointers(const std::string& change) {
  return change.find("->") != std::string::npos || change.find("= *") != std::string::npos;
}

std::string apply_text(const std::string& to, const std::string& change) {
  return fmt::format("return apply({}, {});", to, change);
}

// What each of the caller's choices leads to; those that lead to the same stand together.
Result<void> choose(const ExportSubject& subject, const Function& inner, const std::string& to, Lines& lines) {
  const Verdict& verdict = subject.verdict;
  const auto chosen = std::ranges::find_if(verdict.members, [](const auto& each) { return !each.table.empty(); });
  lines.open(fmt::format("switch ({}) {{", input_text(subject, inner, verdict.by[0])));
  for (auto row = chosen->table.begin(); row != chosen->table.end(); ++row) {
    lines.add(fmt::format("case {}:", row->first));
    if (row + 1 != chosen->table.end() && row[1].second == row->second) continue;
    const auto change = change_text(subject, inner, row->first);
    if (!change) return std::unexpected(change.error());
    lines.add("  " + (change->empty() ? "return NVML_ERROR_NOT_SUPPORTED;" : apply_text(to, *change)));
  }
  lines.add("default:");
  lines.add(fmt::format("  return {};", verdict.otherwise));
  lines.close("}");
  return {};
}

// What stands before the change; the engine looks at the rest, the caller's permission included.
Result<void> guard(const ExportSubject& subject, const Function& inner, bool device, Lines& lines) {
  auto gates = gates_before(subject);
  if (!gates) return std::unexpected(gates.error());
  for (std::string& each : allowed_arguments(subject, inner))
    gates->push_back(std::move(each));
  if (gates->empty()) return {};
  lines.add(fmt::format("const nvmlReturn_t code = answer({}, {});", device ? "gpu.slot" : "node.node",
                        fmt::join(*gates, ", ")));
  lines.add("if (code != NVML_SUCCESS) return code;");
  return {};
}

}  // namespace

Result<std::string> change_body(const ExportSubject& subject) {
  Function inner = subject.function;
  const auto layouts = newest_layout(subject, inner);
  if (!layouts) return std::unexpected(layouts.error());
  const bool device = takes_device(subject.function);
  const std::string to = device ? "gpu" : "node";
  const bool in_layout = !layouts->open.empty();
  Lines lines;
  if (in_layout) lines.open("return " + layouts->open);
  if (auto guarded = guard(subject, inner, device, lines); !guarded) return std::unexpected(guarded.error());
  if (!subject.verdict.by.empty()) {
    if (auto chosen = choose(subject, inner, to, lines); !chosen) return std::unexpected(chosen.error());
  } else {
    const auto change = change_text(subject, inner, "");
    if (!change) return change;
    if (lines.text().empty()) {
      const std::string body = follows_pointers(*change) ? fmt::format("[&] {{ return {}; }}", *change) : *change;
      return shape_call(subject, "change", with_checks(subject, body));
    }
    lines.add(apply_text(to, *change));
  }
  if (in_layout) lines.close(layouts->close + ";");
  return shape_call(subject, "call", with_checks(subject, body_lambda(subject, lines.text())));
}

}  // namespace nvmlab::codegen
