// SPDX-License-Identifier: Apache-2.0
// recorder/generated/walk*.cpp: every getter that a third-party library can be asked without changing anything, with
// what goes in and what comes back, for the recorder and for nvml-conformance. recorder/walk_row.hpp describes the
// tables. walk.cpp has the functions by name, walk_TOPIC.cpp what goes in and comes back.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "codegen/emit/exports.hpp"
#include "codegen/emit/field_numbers.hpp"
#include "codegen/emit/walk/rows.hpp"
#include "codegen/meaning/id_rows.hpp"

namespace nvmlab::codegen {
namespace {

const char* moves(const Vocabulary& vocabulary, const Verdicts& verdicts, const std::string& name) {
  const Verdict& verdict = resolved(verdicts, verdicts.at(name));
  if (verdict.kind != VerdictKind::read || verdict.subject.given()) return "unknown";
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
  if (!root) return std::unexpected(root.error());
  const yaml::Node* fields = root->find("fields");
  if (fields == nullptr) return fail_at(*root, "a mapping `fields` is missing");
  std::string rows;
  for (const auto& [id, name] : field_names(inputs)) {
    const auto scopes = scopes_of(name, *fields, rules, tables);
    if (!scopes) return std::unexpected(scopes.error());
    rows += fmt::format("    {},\n", Designated().named(name).with("id", id).with("scopes", *scopes, "1").row());
  }
  return rows;
}

Designated function_row(const Method& method, const walk::Row& row, const char* moves) {
  const std::string& protocol = method.row->protocol;
  return Designated()
      .named(method.function->name)
      .with("about", "About::" + row.about, "About::device")
      .with("late", row.late, "false")
      .with("protocol", protocol.empty() ? "" : "'" + protocol + "'")
      .with("moves", fmt::format("Moves::{}", moves), "Moves::unknown");
}

// The lists of enumerators that the walk itself uses.
Result<std::string> lists_of_names(const Inputs& inputs, walk::Tables& tables) {
  std::string lists;
  for (const auto& [variable, type] :
       {std::pair{"return_codes", "nvmlReturn_t"}, std::pair{"value_types", "nvmlValueType_t"},
        std::pair{"metrics", "nvmlGpmMetricId_t"}, std::pair{"prm_counters", "nvmlPRMCounterId_t"}}) {
    const Enum* list = find(inputs.newest.enums, std::string_view(type));
    if (list == nullptr) return fail(fmt::format("the newest header has no {}", type));
    tables.names_of_enum(*list);
    lists += fmt::format("constinit const Names {0}{{.type = \"{1}\", .all = kAll_{1}}};\n", variable, type);
  }
  return lists;
}

struct Rows {
  std::string lists;
  std::string functions;
};

// One row for each getter; `tables` gets what they need.
Result<Rows> rows_of_functions(const Inputs& inputs, const walk::Rules& rules, walk::Tables& tables) {
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return std::unexpected(vocabulary.error());
  const auto verdicts = load_meaning(inputs, *vocabulary);
  if (!verdicts) return std::unexpected(verdicts.error());
  const auto plan = load_plan(inputs);
  if (!plan) return std::unexpected(plan.error());
  Rows rows;
  // Twice: outputs can be marked as sources only when all inputs are known.
  for (int pass = 0; pass < 2; ++pass) {
    tables.forget_tables();
    tables.enter("");
    const auto lists = lists_of_names(inputs, tables);
    if (!lists) return std::unexpected(lists.error());
    rows = {*lists, ""};
    for (const Method& method : plan->methods) {
      const std::string& name = method.function->name;
      const auto asked = is_asked(method, rules);
      if (!asked) return std::unexpected(asked.error());
      if (!*asked) continue;
      tables.enter(method.row->topic);
      const auto row = row_of(inputs, *plan, method, tables);
      if (!row) return std::unexpected(row.error());
      const std::string parameters = tables.parameters(name, row->parameters);
      rows.functions += fmt::format(
          "    {},\n",
          function_row(method, *row, moves(*vocabulary, *verdicts, name)).with("parameters", parameters).row());
    }
  }
  return rows;
}

std::string source(std::string_view about, std::string_view include, std::string_view body) {
  return fmt::format(
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated by `nvmlgen write` from model/; edit that, not this.\n"
      "// {}\n#include \"recorder/{}\"\n\nnamespace nvmlab::recorder {{\n\n{}}}  // namespace nvmlab::recorder\n",
      about, include, body);
}

constexpr std::string_view kFolder = "tools/recorder/generated/";
constexpr std::string_view kTables = "generated/walk_tables.hpp";

void add_tables(const walk::Tables& tables, Output& output) {
  for (const auto& [topic, text] : tables.texts()) {
    if (topic.empty()) continue;
    output.add(fmt::format("{}walk_{}.cpp", kFolder, topic),
               source(fmt::format("What the getters of model/binding/functions/{}.yaml take and tell.", topic), kTables,
                      text));
  }
  std::string header = source("The tables of the walk, each in the file of the topic that needs it first.",
                              "walk_row.hpp", tables.declarations());
  header.insert(header.find("#include"), "#pragma once\n\n");
  output.add(std::string(kFolder) + "walk_tables.hpp", std::move(header));
}

// An array and the span by which others see it.
struct WalkTable {
  std::string_view type;     // of an element
  std::string_view element;  // the same, constant
  std::string_view array;
  std::string_view span;
};
constexpr WalkTable kFunctionTable{"Function", "const Function", "kFunctions", "functions"};
constexpr WalkTable kFieldTable{"FieldId", "const FieldId", "kFieldIds", "field_ids"};

std::string definition(const WalkTable& table, std::string_view rows) {
  return fmt::format("constexpr {} {}[] = {{\n{}}};\nconstinit const std::span<{}> {} = {};\n\n", table.type,
                     table.array, rows, table.element, table.span, table.array);
}

}  // namespace

std::expected<void, Error> emit_walk(const Inputs& inputs, Output& output) {
  const auto rules = walk::load_rules(inputs.root / "model" / "recording.yaml");
  if (!rules) return std::unexpected(rules.error());
  const auto types = BindingTypes::load(inputs);
  if (!types) return std::unexpected(types.error());
  walk::Tables tables(inputs, *types, *rules);
  std::string slots;
  for (const auto& [subject, pattern] : rules->subjects)
    slots += fmt::format("const std::uint16_t slot_of_{} = {};\n", subject, tables.slot_of_pattern({pattern}));
  const auto rows = rows_of_functions(inputs, *rules, tables);
  if (!rows) return std::unexpected(rows.error());
  for (const walk::InputRule& rule : rules->inputs) {
    if (!rule.used) return fail(fmt::format("{}: '{}' covers no input of a getter", rule.place, rule.pattern));
  }
  const auto fields = rows_of_fields(inputs, *rules, tables);
  if (!fields) return std::unexpected(fields.error());
  const std::string folder(kFolder);
  const std::string body =
      fmt::format("{}\n{}{}const char* const newest_header = \"{}\";\n\n{}", tables.texts().at(""), rows->lists, slots,
                  inputs.newest.version, definition(kFunctionTable, rows->functions));
  output.add(folder + "walk.cpp", source("Every getter, by name.", kTables, body));
  output.add(folder + "walk_field_ids.cpp",
             source("The fields of nvmlDeviceGetFieldValues.", "walk_row.hpp", definition(kFieldTable, *fields)));
  add_tables(tables, output);
  return {};
}

}  // namespace nvmlab::codegen
