// SPDX-License-Identifier: Apache-2.0
// tests/suite/generated/walk.hpp: the getters that a stranger can call with arguments made from the facts alone, for
// nvml-conformance. Left out is what needs a handle that only another call gives, a text to look something up by, or
// memory behind a pointer within a struct.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "codegen/emit/export_bodies.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen {
namespace {

struct Scalar {
  char kind = 0;
  std::uint64_t size = 0;
};

Scalar scalar_of(const Release& release, const std::string& base) {
  static const std::map<std::string, Scalar> known = {
      {"unsigned int", {'u', 4}},  {"unsigned long", {'u', 8}},  {"unsigned long long", {'u', 8}},
      {"unsigned char", {'u', 1}}, {"unsigned short", {'u', 2}}, {"int", {'i', 4}},
      {"long long", {'i', 8}},     {"double", {'f', 8}},         {"char", {'u', 1}}};
  if (const auto at = known.find(base); at != known.end()) return at->second;
  if (find(release.enums, base) != nullptr) return {'u', 4};
  const Typedef* alias = find(release.typedefs, base);
  return alias == nullptr || alias->target.pointers > 0 ? Scalar{} : scalar_of(release, alias->target.base);
}

struct Walk {
  const Release& release;
  std::map<std::string, std::string> tables;  // by name

  // False where the record has something that cannot be shown, or points elsewhere.
  bool add_fields(const Record& record, const std::string& prefix, std::uint64_t base, std::string& text) const {
    if (record.is_union) return false;
    for (const Field& field : record.fields) {
      if (field.type.pointers > 0 || find(release.handles, field.type.base) != nullptr) return false;
      const std::string name = prefix + field.name;
      const Record* inner = field.nested.empty() ? resolve_record(release, field.type.base) : field.nested.data();
      const auto add = [&](char kind) {
        text += fmt::format("    {{\"{}\", {}, {}, Kind{{'{}'}}}},\n", name, base + field.offset, field.size, kind);
      };
      if (!field.extents.empty()) {
        add(field.type.base == "char" && field.extents.size() == 1 ? 't' : 'x');
      } else if (inner == nullptr) {
        add(scalar_of(release, field.type.base).kind);
      } else if (inner->is_union) {
        add('x');
      } else if (!add_fields(*inner, name + ".", base + field.offset, text)) {
        return false;
      }
    }
    return true;
  }

  bool fields(const Record& record) {
    std::string text;
    if (!add_fields(record, "", 0, text)) return false;
    tables["kFieldsOf_" + record.name] = "inline constexpr Field kFieldsOf_" + record.name + "[] = {\n" + text + "};\n";
    return true;
  }

  bool values(const std::string& name) {
    const Enum* list = find(release.enums, name);
    if (list == nullptr) return false;
    std::set<std::int64_t> distinct;
    for (const Enumerator& each : list->enumerators) {
      if (!each.name.ends_with("_COUNT") && !each.name.ends_with("_MAX")) distinct.insert(each.value);
    }
    std::string text;
    for (const std::int64_t value : distinct)
      text += fmt::format("{}{}", text.empty() ? "" : ", ", value);
    tables["kValuesOf_" + name] = fmt::format("inline constexpr long long kValuesOf_{}[] = {{{}}};\n", name, text);
    return true;
  }
};

std::uint32_t version_word(const Release& release, const Record& record) {
  if (!record.has_version()) return 0;
  for (const Macro& macro : release.macros) {
    const auto version = struct_version_of(macro);
    if (version && version->record == record.name) return version->word(record.size);
  }
  return 0;
}

bool counts(const std::string& name) {
  return name.find("ount") != std::string::npos || name.find("ize") != std::string::npos;
}

bool is_getter(const std::string& name) {
  for (const char* part : {"HandleBy", "Metadata", "FieldValues", "InternalGet", "Gpm", "GetCPER", "PRM"}) {
    if (name.find(part) != std::string::npos) return false;
  }
  for (const char* head : {"nvmlDeviceGet", "nvmlDeviceIs", "nvmlSystemGet", "nvmlDeviceOnSameBoard"}) {
    if (name.starts_with(head)) return true;
  }
  return false;
}

// The rows of one function's parameters; empty where it cannot be called from the facts alone.
std::string parameters_of(Walk& walk, const Function& function) {
  const Release& release = walk.release;
  std::string text;
  bool device = false;
  const auto add = [&](const Parameter& from, const char* role, char kind = 'u', std::uint64_t size = 0,
                       std::uint32_t version = 0, const std::string& values = "{}", const std::string& fields = "{}") {
    text += fmt::format("    {{\"{}\", Role::{}, Kind{{'{}'}}, {}, {:#x}, {}, {}}},\n", from.name, role, kind, size,
                        version, values, fields);
  };
  const bool lists = std::ranges::any_of(function.parameters, [](const Parameter& each) {
    return counts(each.name) && (each.type.text() == "unsigned int*" || each.type.text() == "unsigned int");
  });
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& each = function.parameters[i];
    const std::string& base = each.type.base;
    const bool after_text = i > 0 && function.parameters[i - 1].type.text() == "char*";
    if (each.type.constant || each.type.pointers > 1 || base == "void") return {};
    if (each.type.pointers == 0) {
      if (base == "nvmlDevice_t") {
        add(each, device ? "peer" : "device");
        device = true;
      } else if (find(release.handles, base) != nullptr || base == "nvmlVgpuTypeId_t" || base == "nvmlVgpuInstance_t") {
        return {};
      } else if (after_text) {
        add(each, "text_length");
      } else if (counts(each.name)) {
        add(each, "room");
      } else if (walk.values(base)) {
        add(each, "choice", 'u', 4, 0, "kValuesOf_" + base);
      } else {
        add(each, "number");
      }
      continue;
    }
    if (find(release.handles, base) != nullptr) return {};
    const Record* record = resolve_record(release, base);
    if (base == "char") {
      add(each, "text");
    } else if (lists && counts(each.name)) {
      add(each, "count");
    } else if (lists) {
      add(each, "items", 'x', record != nullptr ? record->size : scalar_of(release, base).size);
    } else if (record == nullptr) {
      const Scalar scalar = scalar_of(release, base);
      if (scalar.size == 0) return {};
      add(each, "scalar", scalar.kind, scalar.size);
    } else {
      const std::uint32_t version = version_word(release, *record);
      if ((record->has_version() && version == 0) || !walk.fields(*record)) return {};
      add(each, "structure", 'x', record->size, version, "{}", "kFieldsOf_" + record->name);
    }
  }
  return text;
}

const char* moves(const Vocabulary& vocabulary, const Verdicts& verdicts, const std::string& name) {
  const Verdict* verdict = &verdicts.at(name);
  while (verdict->kind == VerdictKind::same_as)
    verdict = &verdicts.at(verdict->same_as);
  if (verdict->kind != VerdictKind::read) return "unknown";
  std::set<FieldKind> kinds;
  for (const Binding& binding : verdict->bindings) {
    if (binding.path.empty()) continue;
    if (const auto found = find_field(vocabulary, binding.path)) kinds.insert(found->field->kind);
  }
  if (kinds == std::set<FieldKind>{FieldKind::fixed}) return "never";
  return kinds == std::set<FieldKind>{FieldKind::counter} ? "upwards" : "unknown";
}

}  // namespace

std::expected<void, Error> emit_walk(const Inputs& inputs, Output& output) {
  const auto vocabulary = load_vocabulary(inputs.root / "model" / "state");
  if (!vocabulary) return fail(vocabulary.error());
  const auto verdicts = load_meaning(inputs, *vocabulary);
  if (!verdicts) return std::unexpected(verdicts.error());
  Walk walk{inputs.newest, {}};
  std::string parameters;
  std::string functions;
  for (const Function& function : inputs.newest.functions) {
    if (!is_getter(function.name) || function.parameters.empty()) continue;
    // A legacy name takes the layout of its time, which the newest header does not say.
    if (verdicts->at(function.name).layout != "" || function.guarded) continue;
    const std::string rows = parameters_of(walk, function);
    if (rows.empty()) continue;
    parameters += fmt::format("inline constexpr Parameter kOf_{}[] = {{\n{}}};\n", function.name, rows);
    functions += fmt::format("    {{\"{0}\", Moves::{1}, kOf_{0}}},\n", function.name,
                             moves(*vocabulary, *verdicts, function.name));
  }
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n// Generated by `nvmlgen write` from model/; edit that, not this.\n"
      "#pragma once\n\n#include \"tests/suite/walk_row.hpp\"\n\nnamespace nvmlab::suite {\n\n";
  for (const auto& [name, table] : walk.tables)
    text += table;
  text += parameters + "\ninline constexpr Function kWalk[] = {\n" + functions + "};\n";
  const Macro* last = find(inputs.newest.macros, "NVML_FI_MAX");
  text += fmt::format("\ninline constexpr unsigned kFieldIds = {};\n\n}}  // namespace nvmlab::suite\n",
                      last != nullptr && last->value ? last->value->bits : 0);
  output.add("tests/suite/generated/walk.hpp", text);
  return {};
}

}  // namespace nvmlab::codegen
