// SPDX-License-Identifier: Apache-2.0
// recorder/generated/walk.cpp: every getter that a stranger can call without changing anything, with what goes in and
// what comes back, for the recorder and for nvml-conformance. recorder/walk_row.hpp describes the tables.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/emit/abi.hpp"
#include "codegen/emit/exports.hpp"
#include "codegen/emit/field_numbers.hpp"
#include "codegen/emit/id_rows.hpp"
#include "codegen/emit/walk/rows.hpp"

namespace nvmlab::codegen {
namespace {

const char* moves(const Vocabulary& vocabulary, const Verdicts& verdicts, const std::string& name) {
  const Verdict& verdict = resolved(verdicts, verdicts.at(name));
  if (verdict.kind != VerdictKind::read) return "unknown";
  std::set<FieldKind> kinds;
  for (const Case& each : verdict.cases) {
    for (const Binding& binding : each.bindings) {
      if (!binding.plain()) return "unknown";
      if (const auto found = find_field(vocabulary, binding.path)) kinds.insert(found->field->kind);
    }
  }
  if (kinds == std::set<FieldKind>{FieldKind::fixed}) return "never";
  return kinds == std::set<FieldKind>{FieldKind::counter} ? "upwards" : "unknown";
}

// How many scopes a field has, by the form of its row in model/meaning/ids/fields.yaml.
Result<std::uint64_t> scopes_of(const std::string& name, const yaml::Node& fields, const walk::Rules& rules,
                                const walk::Tables& tables) {
  for (const auto& [key, row] : fields.entries) {
    unsigned number = 0;
    if (!fits(key.scalar, name, number)) continue;
    const bool numbered = key.scalar.find('*') != std::string::npos;  // the id names the link itself
    for (const auto& [form, content] : row.entries) {
      if (form.scalar == "read" && !content.items.empty()) return content.items.size();
      const auto rule = rules.scopes.find(form.scalar);
      if (rule != rules.scopes.end() && !numbered) return tables.number(rule->second);
    }
    return 1;
  }
  return fail(name + " has no row in model/meaning/ids/fields.yaml");
}

Result<std::string> rows_of_fields(const Inputs& inputs, const walk::Rules& rules, const walk::Tables& tables) {
  const auto root = yaml::parse_file(inputs.root / "model" / "meaning" / "ids" / "fields.yaml");
  if (!root) return fail(root.error().text());
  const yaml::Node* fields = root->find("fields");
  if (fields == nullptr) return refuse_at(*root, "a mapping `fields` is missing");
  std::string rows;
  for (const auto& [id, name] : field_names(inputs)) {
    const auto scopes = scopes_of(name, *fields, rules, tables);
    if (!scopes) return std::unexpected(scopes.error());
    rows += fmt::format("    {{\"{}\", {}, {}}},\n", name, id, *scopes);
  }
  return rows;
}

struct Rows {
  std::string parameters;
  std::string functions;
};

Result<Rows> rows_of_functions(const Inputs& inputs, const walk::Rules& rules, walk::Tables& tables) {
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return fail(vocabulary.error());
  const auto verdicts = load_meaning(inputs, *vocabulary);
  if (!verdicts) return std::unexpected(verdicts.error());
  const auto plan = load_plan(inputs);
  if (!plan) return std::unexpected(plan.error());
  Rows rows;
  // Twice: outputs can be marked as sources only when all inputs are known.
  for (const bool known : {false, true}) {
    rows = {};
    if (known) tables.forget_tables();
    for (const Method& method : plan->methods) {
      const std::string& name = method.function->name;
      const auto asked = is_asked(method, rules);
      if (!asked) return std::unexpected(asked.error());
      if (!*asked) continue;
      const auto row = row_of(inputs, *plan, method, tables);
      if (!row) return std::unexpected(row.error());
      rows.parameters += fmt::format("constexpr Parameter kOf_{}[] = {{\n{}}};\n", name, row->parameters);
      const std::string& protocol = method.row->protocol;
      rows.functions +=
          fmt::format("    {{\"{0}\", About::{1}, {2}, {3}, Moves::{4}, kOf_{0}}},\n", name, row->about, row->late,
                      protocol.empty() ? "'\\0'" : "'" + protocol + "'", moves(*vocabulary, *verdicts, name));
    }
  }
  return rows;
}

}  // namespace

std::expected<void, Error> emit_walk(const Inputs& inputs, Output& output) {
  const auto rules = walk::load_rules(inputs.root / "model" / "recording.yaml");
  if (!rules) return std::unexpected(rules.error());
  const auto types = BindingTypes::load(inputs);
  if (!types) return std::unexpected(types.error());
  walk::Tables tables(inputs, *types, *rules);
  std::string slots;
  for (const auto& [subject, source] : rules->subjects)
    slots += fmt::format("const std::uint16_t slot_of_{} = {};\n", subject, tables.slot_of_pattern({source}));
  const auto rows = rows_of_functions(inputs, *rules, tables);
  if (!rows) return std::unexpected(rows.error());
  for (const walk::InputRule& rule : rules->inputs) {
    if (!rule.used) return fail(fmt::format("{}: '{}' covers no input of a getter", rule.place, rule.pattern));
  }
  const auto fields = rows_of_fields(inputs, *rules, tables);
  if (!fields) return std::unexpected(fields.error());
  std::string lists;
  for (const auto& [variable, type] :
       {std::pair{"return_codes", "nvmlReturn_t"}, std::pair{"value_types", "nvmlValueType_t"},
        std::pair{"metrics", "nvmlGpmMetricId_t"}, std::pair{"prm_counters", "nvmlPRMCounterId_t"}}) {
    const Enum* list = find(inputs.newest.enums, std::string_view(type));
    if (list == nullptr) return fail(fmt::format("the newest header has no {}", type));
    lists += fmt::format("const Names {}{{\"{}\", ({})->all}};\n", variable, type, tables.names_of_enum(*list));
  }
  std::string known;
  for (const std::string& name : abi::function_types(inputs))
    known += fmt::format("    \"{}\",\n", name);
  output.add("recorder/generated/walk.cpp",
             fmt::format("// SPDX-License-Identifier: Apache-2.0\n"
                         "// Generated by `nvmlgen write` from model/; edit that, not this.\n"
                         "#include \"recorder/walk_row.hpp\"\n\nnamespace nvmlab::recorder {{\nnamespace {{\n\n"
                         "{}\n{}\nconstexpr Function kFunctions[] = {{\n{}}};\n"
                         "\nconstexpr FieldId kFieldIds[] = {{\n{}}};\n"
                         "\nconstexpr const char* kKnown[] = {{\n{}}};\n\n}}  // namespace\n\n"
                         "const std::span<const Function> functions = kFunctions;\n"
                         "const std::span<const FieldId> field_ids = kFieldIds;\n"
                         "const std::span<const char* const> known_functions = kKnown;\n"
                         "{}{}const char* const newest_header = \"{}\";\n\n}}  // namespace nvmlab::recorder\n",
                         tables.text(), rows->parameters, rows->functions, *fields, known, lists, slots,
                         inputs.newest.version));
  return {};
}

}  // namespace nvmlab::codegen
