// SPDX-License-Identifier: Apache-2.0
// What the value of each field and of each metric is, from model/binding/ids/: tables for the templates of
// nvmlab/nvml/field.hpp and nvmlab/nvml/gpm.hpp, the units as texts, and a page of the reference. Generation stops at
// an id of the newest header without a row. Covered by tests/binding/typed_fields_test.cpp.
#include "codegen/emit/nvml/id_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/yaml/tree.hpp"
#include "codegen/binding/types.hpp"
#include "codegen/columns.hpp"
#include "codegen/emit/field_numbers.hpp"
#include "codegen/emit/nvml/pieces.hpp"
#include "codegen/emit/nvml/values.hpp"
#include "codegen/emit/young_ids.hpp"
#include "codegen/meaning/id_rows.hpp"

namespace nvmlab::codegen {
namespace {

// One of the two tables.
struct IdTable {
  const char* file;     // of model/binding/ids/
  const char* key;      // of its rows
  const char* id_type;  // FieldId
  const char* word;     // of the names that are made of it: "field"
  const char* header;   // that has kind_of() for the ids
  const char* title;
  const char* says;
  bool in_doubles;  // quantities are counted in double
};
constexpr IdTable kFieldIdTable{"fields",
                                "fields",
                                "FieldId",
                                "field",
                                "nvmlab/nvml/field_value.hpp",
                                "Fields",
                                "What `Device::field<id>()` answers for each field, and where its unit is written.",
                                false};
constexpr IdTable kMetricIdTable{
    "gpm",
    "metrics",
    "GpmMetricId",
    "gpm",
    "nvmlab/nvml/values/gpm_metric.hpp",
    "GPM metrics",
    "What `GpmMetrics::get<id>()` answers for each metric, counted in `double`, and where its unit is written.",
    true};

struct IdRow {
  std::string c_name;
  std::string name;  // the enumerator
  std::string kind;  // the enumerator of the table's kinds: "milliwatts", "nvlink_state"
  std::string type;  // as C++ spells it
  std::string header;
  std::string source;
};
using IdRows = std::map<unsigned, IdRow>;

std::map<unsigned, std::string> names_of(const Inputs& inputs, const TypedEnum& ids) {
  std::map<unsigned, std::string> names;
  const auto fields = field_names(inputs);
  for (const TypedEnumerator& each : ids.enumerators) {
    const auto id = static_cast<unsigned>(each.bits);
    if (each.repeated || each.c_name == "NVML_GPM_METRIC_MAX") continue;
    const auto field = fields.find(id);
    names.emplace(id, ids.name == "FieldId" && field != fields.end() ? field->second : each.c_name);
  }
  return names;
}

std::string enumerator_of(const TypedEnum& ids, unsigned id) {
  const auto at = std::ranges::find(ids.enumerators, std::uint64_t{id}, &TypedEnumerator::bits);
  return at == ids.enumerators.end() ? std::string{} : at->name;
}

// The C++ type of a word that only ids have; the others are those of structs' members.
std::optional<std::string> type_of_number(const std::string& is, bool in_doubles) {
  if (is == "count" || is == "number") return in_doubles ? "double" : "std::uint64_t";
  if (is == "value") return in_doubles ? "double" : "Value";
  if (is == "precise_celsius") return "Quantity<unit::celsius, double>";
  return std::nullopt;
}

Result<IdRow> read_row(const BindingTypes& types, const IdTable& table, const yaml::Node& key, const yaml::Node& row) {
  IdRow made;
  std::string is;
  std::string unsaid;
  if (!row.is_mapping()) return fail_at(key, "keys were expected: is, from, unsaid");
  for (const auto& [name, content] : row.entries) {
    if (name.scalar == "is") {
      is = content.scalar;
    } else if (name.scalar == "from") {
      made.source = content.scalar;
    } else if (name.scalar == "unsaid") {
      unsaid = content.scalar;
    } else {
      return fail_at(name, fmt::format("'{}' is not one of is, from, unsaid", name.scalar));
    }
  }
  if ((is == "value") == unsaid.empty())
    return fail_at(key, "`unsaid` is for `is: value`, which needs it: what the header does not say");
  made.source = !unsaid.empty() ? "not said: " + unsaid : made.source.empty() ? "its comment" : made.source;
  if (auto number = type_of_number(is, table.in_doubles)) {
    made.type = std::move(*number);
    made.kind = is;
    return made;
  }
  const auto typed = types.typed(Type{"unsigned int"}, is == "bit_error_rate" ? "class BitErrorRate" : is);
  if (!typed) return fail_at(key, typed.error().message);
  made.type = typed->name;
  if (table.in_doubles) made.type = fmt::format("Quantity<{}::unit, double>", typed->name);
  made.header = typed->header;
  const auto space = is.find(' ');
  made.kind = space == std::string::npos ? is : snake_case(is.substr(space + 1));
  return made;
}

Result<IdRows> read_rows(const Inputs& inputs, const BindingTypes& types, const IdTable& table) {
  const auto root = yaml::parse_file(inputs.root / "model" / "binding" / "ids" / fmt::format("{}.yaml", table.file));
  if (!root) return std::unexpected(root.error());
  const yaml::Node* content = root->find(table.key);
  const TypedEnum* ids = types.enum_named(table.id_type);
  if (content == nullptr || ids == nullptr) return fail_at(*root, fmt::format("a mapping `{}` is missing", table.key));
  IdRows rows;
  const auto names = names_of(inputs, *ids);
  for (const auto& [key, value] : content->entries) {
    const auto row = read_row(types, table, key, value);
    if (!row) return std::unexpected(row.error());
    const std::size_t before = rows.size();
    for (const auto& [id, name] : names) {
      unsigned number = 0;
      if (!fits(key.scalar, name, number) || rows.contains(id)) continue;
      IdRow made = *row;
      made.c_name = name;
      made.name = enumerator_of(*ids, id);
      rows.emplace(id, std::move(made));
    }
    if (rows.size() == before) return fail_at(key, "'" + key.scalar + "' names no id still without a row");
  }
  for (const auto& [id, name] : names) {
    if (!rows.contains(id)) return fail_at(*content, name + " has no row");
  }
  return rows;
}

std::map<std::string, std::string> kinds_of(const IdRows& rows) {
  std::map<std::string, std::string> kinds;
  for (const auto& [id, row] : rows)
    kinds.emplace(row.kind, row.type);
  return kinds;
}

void emit_table(const IdTable& table, const IdRows& rows, Output& output) {
  const std::string kind_type = fmt::format("{}Kind", methods::camel_case(table.word));
  std::set<std::string> headers{"nvmlab/nvml/units.hpp", "nvmlab/nvml/value.hpp"};
  std::string kinds = "  none,\n";
  std::string types;
  for (const auto& [kind, type] : kinds_of(rows)) {
    kinds += fmt::format("  {},\n", kind);
    types += fmt::format("template <>\nstruct IdType<{0}::{1}> {{\n  using type = {2};\n}};\n", kind_type, kind, type);
  }
  std::string by_id;
  unsigned next = 0;
  for (const auto& [id, row] : rows) {
    for (; next < id; ++next)
      by_id += "none, ";
    by_id += row.kind + ", ";
    next = id + 1;
    if (!row.header.empty()) headers.insert(row.header);
  }
  std::string includes = "#include <cstdint>\n\n#include \"nvmlab/nvml/id_type.hpp\"\n";
  for (const std::string& header : headers)
    includes += fmt::format("#include \"{}\"\n", header);
  output.add(
      std::string(values::kFolder) + table.word + "_types.hpp",
      values::header_text(
          fmt::format("What each {} is; model/binding/ids/{}.yaml has the sources.", table.word, table.file), includes,
          fmt::format("namespace detail {{\n\nenum class {0} : std::uint8_t {{\n{1}}};\n{2}\n"
                      "struct {0}s {{\n  using enum {0};\n  static constexpr {0} by_id[] = {{\n{3}\n  }};\n}};"
                      "\n\n}}  // namespace detail\n\n",
                      kind_type, kinds, types, wrapped(by_id, "      "))));
}

void emit_units(const IdTable& table, const IdRows& rows, Output& output) {
  const std::string kind_type = fmt::format("{}Kind", methods::camel_case(table.word));
  std::string cases;
  for (const auto& [kind, type] : kinds_of(rows))
    cases += fmt::format("    case detail::{}::{}: return unit_symbol<{}>();\n", kind_type, kind, type);
  output.add(
      std::string(values::kFolder) + table.word + "_units.cpp",
      values::source_text("Units as texts.", fmt::format("#include \"{}\"\n", table.header),
                          fmt::format("std::string_view unit_of({} id) noexcept {{\n  switch (detail::kind_of(id)) "
                                      "{{\n    case detail::{}::none: break;\n{}  }}\n  return {{}};\n}}\n\n",
                                      table.id_type, kind_type, cases)));
}

void emit_page(const IdTable& table, const IdRows& rows, const std::map<unsigned, YoungId>& young, Output& output) {
  std::string lines;
  std::size_t said = 0;
  for (const auto& [id, row] : rows) {
    if (row.kind != "value") ++said;
    const auto driver = young.find(id);
    lines += fmt::format("| {} | `{}` | `{}` | `{}` | {} | {} |\n", id, row.c_name, row.name, row.type,
                         driver == young.end() ? "" : driver->second.driver, row.source);
  }
  output.add(
      fmt::format("docs/reference/generated/binding-{}.md", table.file),
      fmt::format("<!-- Generated by `nvmlgen write` from model/binding/ids/{}.yaml, model/facts/ and "
                  "model/drivers.yaml. -->\n# {}\n\n{} Of {} ids "
                  "{} have a unit or a type; NVIDIA's header leaves open what the others are, and those are "
                  "plain numbers. `driver` is the first that knows the id; where it is empty, no known driver lacks "
                  "it.\n\n| id | C | `{}::` | type | driver | said by |\n|---|---|---|---|---|---|\n{}",
                  table.file, table.title, table.says, rows.size(), said, table.id_type, lines));
}

}  // namespace

std::expected<void, Error> emit_id_types(const Inputs& inputs, Output& output) {
  const auto types = BindingTypes::load(inputs);
  if (!types) return std::unexpected(types.error());
  for (const IdTable* table : {&kFieldIdTable, &kMetricIdTable}) {
    const auto rows = read_rows(inputs, *types, *table);
    if (!rows) return std::unexpected(rows.error());
    emit_table(*table, *rows, output);
    emit_units(*table, *rows, output);
    emit_page(*table, *rows, table == &kFieldIdTable ? young_fields(inputs) : young_metrics(inputs), output);
  }
  return {};
}

}  // namespace nvmlab::codegen
