// SPDX-License-Identifier: Apache-2.0
#include "codegen/report/explain.hpp"

#include <fmt/format.h>

#include <set>

#include "base/nearest.hpp"
#include "codegen/model/family.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"
#include "codegen/report/text.hpp"

namespace nvmlab::codegen {
namespace {

class Explainer {
 public:
  Explainer(const Registry& registry, const Drivers& drivers, Release newest)
      : registry_(registry), drivers_(drivers), newest_(std::move(newest)) {}

  std::string text(std::string_view name) {
    add_function(name);
    add_record(name);
    add_enum(name);
    add_enumerator(name);
    add_typedef(name);
    add_handle(name);
    add_macro(name);
    if (text_.empty()) add_driver_only(name);
    return std::move(text_);
  }

 private:
  void line(std::string_view label, std::string_view words) { text_ += fmt::format("  {:<10} {}\n", label, words); }

  template <class T>
  void title(std::string_view name, std::string_view kind, const History<T>& spans) {
    const bool gone = !spans.back().until.empty();
    const std::string_view then = find(newest_.typedefs, name) != nullptr ? "an alias" : "gone";
    text_ += fmt::format("{}: {}, {}\n", name, kind,
                         gone ? fmt::format("{} to {}, then {}", spans.front().since, spans.back().until, then)
                              : fmt::format("since {}", spans.front().since));
  }

  // Older definitions, newest first; only if there are several.
  template <class T, class Describe>
  void past(const History<T>& spans, Describe&& describe) {
    if (spans.size() < 2) return;
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      line(span == spans.rbegin() ? "history" : "", fmt::format("{}: {}", period(*span), describe(span->definition)));
    }
  }

  void add_function(std::string_view name) {
    const auto* spans = history(registry_.functions, name);
    if (spans == nullptr) return;
    const Function& function = newest_definition(*spans);
    title(name, "function", *spans);
    line("signature", signature(function));
    if (function.guarded) line("visible", "only with NVML_NO_UNVERSIONED_FUNC_DEFS");
    if (!function.deprecated_since.empty()) line("deprecated", "since " + function.deprecated_since);
    past(*spans, [](const Function& f) {
      return signature(f) + (f.guarded ? " [guarded]" : "") + (f.deprecated_since.empty() ? "" : " [deprecated]");
    });
    add_family(name);
    add_drivers(name);
    add_types_of(function);
  }

  void add_family(std::string_view name) {
    const std::string base = family_of(name).base;
    const auto versions = members(newest_, base);
    if (versions.size() < 2) return;
    std::string list;
    for (const Function* member : versions)
      list += (list.empty() ? "" : ", ") + member->name;
    line("family", list);
    const std::string plain = meaning_in_c(newest_, base);
    if (plain != base) line("", fmt::format("{} in a C program is {}", base, plain));
  }

  void add_drivers(std::string_view name) {
    const auto by = drivers_.symbols.find(name);
    if (by == drivers_.symbols.end()) {
      line("drivers", "none of the known ones exports it");
      return;
    }
    std::string list;
    for (const std::string& driver : by->second)
      list += (list.empty() ? "" : ", ") + driver;
    line("drivers", by->second.size() == drivers_.versions.size()
                        ? fmt::format("all {} known, {}", by->second.size(), list)
                        : list);
  }

  void add_types_of(const Function& function) {
    std::set<std::string> told;
    for (const Parameter& parameter : function.parameters) {
      const Record* record = resolve_record(newest_, parameter.type.base);
      if (record == nullptr || !told.insert(record->name).second) continue;
      const std::string alias = record->name == parameter.type.base ? "" : fmt::format(" (as {})", parameter.type.base);
      line("takes", fmt::format("{}{}, {} bytes{}", record->name, alias, record->size, version_words(*record)));
    }
  }

  std::string version_words(const Record& record) const {
    std::string words;
    for (const Macro& macro : newest_.macros) {
      const auto version = struct_version_of(macro);
      if (version && version->record == record.name && macro.value)
        words += fmt::format(", version word {} = {:#x}", macro.name, macro.value->bits);
    }
    return words.empty() && record.has_version() ? ", begins with a version, no version word" : words;
  }

  void add_record(std::string_view name) {
    const auto* spans = history(registry_.records, name);
    if (spans == nullptr) return;
    const Record& record = newest_definition(*spans);
    title(name, record.is_union ? "union" : "struct", *spans);
    line("layout", fmt::format("{} bytes, aligned to {}{}", record.size, record.align, version_words(record)));
    add_fields(record, "", 0);
    past(*spans, [](const Record& r) { return fmt::format("{} bytes, {} fields", r.size, r.fields.size()); });
    add_users(name);
  }

  void add_fields(const Record& record, const std::string& indent, std::uint64_t base) {
    for (const Field& field : record.fields) {
      line("", fmt::format("{:>6}  {}{}", base + field.offset, indent, declaration(field)));
      if (!field.nested.empty()) add_fields(field.nested.front(), indent + "  ", base + field.offset);
    }
  }

  // The functions that take a type, also under its aliases.
  void add_users(std::string_view name) {
    std::string list;
    for (const Function& function : newest_.functions) {
      const bool uses = std::ranges::any_of(function.parameters, [&](const Parameter& parameter) {
        const Record* record = resolve_record(newest_, parameter.type.base);
        return parameter.type.base == name || (record != nullptr && record->name == name);
      });
      if (uses) list += (list.empty() ? "" : ", ") + function.name;
    }
    if (!list.empty()) line("used by", list);
  }

  void add_enum(std::string_view name) {
    const auto* spans = history(registry_.enums, name);
    if (spans == nullptr) return;
    title(name, "enum", *spans);
    line("underlying", newest_definition(*spans).underlying);
    std::vector<const History<EnumeratorFact>*> members;
    for (const auto& [enumerator, facts] : registry_.enumerators) {
      if (newest_definition(facts).enum_name == name) members.push_back(&facts);
    }
    std::ranges::sort(members, {}, [](const auto* facts) {
      return std::pair(newest_definition(*facts).value, std::string_view(newest_definition(*facts).name));
    });
    for (const auto* facts : members) {
      const EnumeratorFact& fact = newest_definition(*facts);
      const std::string& until = facts->back().until;
      line("", fmt::format("{} = {}, {}", fact.name, fact.value,
                           until.empty() ? "since " + facts->front().since : facts->front().since + " to " + until));
    }
    add_users(name);
  }

  void add_enumerator(std::string_view name) {
    const auto* spans = history(registry_.enumerators, name);
    if (spans == nullptr) return;
    title(name, "enumerator of " + newest_definition(*spans).enum_name, *spans);
    line("value", fmt::format("{}", newest_definition(*spans).value));
    past(*spans, [](const EnumeratorFact& fact) { return fmt::format("{}", fact.value); });
  }

  void add_typedef(std::string_view name) {
    const auto* spans = history(registry_.typedefs, name);
    if (spans == nullptr) return;
    const Typedef& entry = newest_definition(*spans);
    title(name, "another name for " + entry.target.text(), *spans);
    if (const Record* record = resolve_record(newest_, name)) {
      line("layout", fmt::format("{} bytes{}", record->size, version_words(*record)));
    }
    past(*spans, [](const Typedef& old) { return old.target.text(); });
    if (find(newest_.records, entry.target.base) == nullptr) add_users(name);
  }

  void add_handle(std::string_view name) {
    const auto* spans = history(registry_.handles, name);
    if (spans == nullptr) return;
    title(name, "opaque handle", *spans);
    line("pointer to", "struct " + newest_definition(*spans).tag);
    const auto takers = std::ranges::count_if(newest_.functions, [&](const Function& function) {
      return std::ranges::any_of(function.parameters, [&](const Parameter& p) { return p.type.base == name; });
    });
    line("used by", fmt::format("{} functions", takers));
  }

  void add_macro(std::string_view name) {
    const auto* spans = history(registry_.macros, name);
    if (spans == nullptr) return;
    const auto value_of = [](const Macro& macro) {
      if (!macro.value) return macro.text.empty() ? std::string("(nothing)") : macro.text;
      const std::string value = macro.value->text();
      return macro.text == value ? value : fmt::format("{} = {}", macro.text, value);
    };
    title(name, fmt::format("macro ({})", name_of(newest_definition(*spans).kind)), *spans);
    line("value", value_of(newest_definition(*spans)));
    past(*spans, value_of);
  }

  // Symbols that libraries export and no header declares.
  void add_driver_only(std::string_view name) {
    if (!drivers_.symbols.contains(name)) return;
    text_ = fmt::format("{}: exported by drivers, declared by no known header\n", name);
    add_drivers(name);
  }

  const Registry& registry_;
  const Drivers& drivers_;
  Release newest_;
  std::string text_;
};

}  // namespace

Result<std::string> explain(const Registry& registry, const Drivers& drivers, std::string_view name) {
  auto newest = view(registry);
  if (!newest) return std::unexpected(newest.error());
  std::string text = Explainer(registry, drivers, std::move(*newest)).text(name);
  if (!text.empty()) return text;
  std::vector<std::string> names;
  const auto add = [&names](const auto& table) {
    for (const auto& [known, spans] : table)
      names.push_back(known);
  };
  add(registry.functions);
  add(registry.records);
  add(registry.enums);
  add(registry.typedefs);
  add(registry.handles);
  add(registry.macros);
  add(registry.enumerators);
  const std::string near = nearest(name, names);
  return fail(fmt::format("no known release of NVML has {}{}", in_quotes(name),
                          near.empty() ? "; write a name as NVIDIA's header does, such as nvmlDeviceGetName"
                                       : fmt::format("; did you mean '{}'?", near)));
}

}  // namespace nvmlab::codegen
