// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/walk/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen::walk {
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
  const Typedef* alias = find(release.typedefs, base);
  if (alias == nullptr || alias->target.pointers > 0) return {};
  return scalar_of(release, alias->target.base);
}

std::string identifier(std::string name) {
  std::ranges::replace_if(
      name, [](char c) { return c == ':' || c == '.' || c == '-'; }, '_');
  return name;
}

bool counting(const nvmlab::codegen::Field& field) {
  return field.type.base == "unsigned int" && field.type.pointers == 0 && field.extents.empty() &&
         (field.name.ends_with("ount") || field.name.starts_with("num"));
}

}  // namespace

std::string Tables::make(const std::string& name, const std::string& definition) {
  if (made_.insert(name).second) text_ += definition;
  return "&" + name;
}

std::string Tables::names_of_enum(const Enum& list) {
  // The binding's enumeration has no end marks.
  const TypedEnum* typed = types_.enum_of(list.name);
  std::string rows;
  for (const Enumerator& each : list.enumerators) {
    if (typed == nullptr ||
        std::ranges::find(typed->enumerators, each.name, &TypedEnumerator::c_name) != typed->enumerators.end())
      rows += fmt::format("    {{\"{}\", {}}},\n", each.name, each.value);
  }
  const std::string name = "kNames_" + list.name;
  return make(name, fmt::format("constexpr Name kAll_{0}[] = {{\n{1}}};\nconstexpr Names {2}{{\"{0}\", kAll_{0}}};\n",
                                list.name, rows, name));
}

std::string Tables::names_of_typed(const TypedEnum& list) {
  if (const Enum* known = find(inputs_.newest.enums, list.c_type)) return names_of_enum(*known);
  std::string rows;
  for (const TypedEnumerator& each : list.enumerators)
    rows += fmt::format("    {{\"{}\", {}}},\n", each.c_name, each.bits);
  const std::string name = "kNames_" + list.name;
  return make(name, fmt::format("constexpr Name kAll_{0}[] = {{\n{1}}};\nconstexpr Names {2}{{\"{0}\", kAll_{0}}};\n",
                                list.name, rows, name));
}

std::size_t Tables::slot_of_pattern(const std::vector<std::string>& patterns) {
  const auto at = std::ranges::find(slots_, patterns);
  if (at != slots_.end()) return static_cast<std::size_t>(at - slots_.begin());
  slots_.push_back(patterns);
  return slots_.size() - 1;
}

// Two inputs may be made from one output only if they name it alike: the first pattern that fits is its slot.
std::string Tables::slot(const std::string& full_name) {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (std::ranges::any_of(slots_[i], [&](const std::string& pattern) { return fits(pattern, full_name); }))
      return std::to_string(i);
  }
  return "kNoSlot";
}

Result<std::uint64_t> Tables::number(const std::string& text) const {
  if (const Macro* macro = find(inputs_.newest.macros, text); macro != nullptr && macro->value)
    return macro->value->bits;
  if (text.empty() || text.find_first_not_of("0123456789") != std::string::npos)
    return fail(fmt::format("model/recording.yaml: '{}' is neither a number nor a macro of the newest header", text));
  return std::stoull(text);
}

Result<std::string> Tables::input(const Type& type, const std::string& kind, const std::string& full_name) {
  const auto names = [&](const std::string& list) {
    const std::string name = "kInput_of_" + list.substr(list.find('_') + 1);
    return make(name,
                fmt::format("constexpr Input {}{{Input::From::names, false, {}, 0, {{}}, kNoSlot}};\n", name, list));
  };
  if (const Enum* list = find(inputs_.newest.enums, type.base)) return names(names_of_enum(*list));
  if (kind.starts_with("enum ")) {
    if (const TypedEnum* list = types_.enum_named(kind.substr(5))) return names(names_of_typed(*list));
  }
  if (const TypedEnum* list = types_.enum_of(type.base)) return names(names_of_typed(*list));
  const InputRule* rule = rules_.input(full_name);
  if (rule == nullptr)
    return fail(
        fmt::format("{} goes in: give it a row in `inputs` of model/recording.yaml, or its function one in "
                    "`not_asked`",
                    full_name));
  const std::string name = fmt::format("kInput{}", rule - rules_.inputs.data());
  const char* supported = rule->while_supported ? "true" : "false";
  if (!rule->numbers.empty()) {
    const auto end = number(rule->numbers);
    if (!end) return std::unexpected(end.error());
    return make(name, fmt::format("constexpr Input {}{{Input::From::numbers, {}, nullptr, {}, {{}}, kNoSlot}};\n", name,
                                  supported, *end));
  }
  if (!rule->values.empty()) {
    return make(name,
                fmt::format("constexpr long long kValues_{0}[] = {{{1}}};\nconstexpr Input {0}{{Input::From::values, "
                            "{2}, nullptr, 0, kValues_{0}, kNoSlot}};\n",
                            name, fmt::join(rule->values, ", "), supported));
  }
  const bool up_to = !rule->up_to.empty();
  const auto patterns = up_to ? std::vector{rule->up_to} : rule->seen;
  const std::size_t place = slot_of_pattern(patterns);
  late_.insert("&" + name);
  return make(name, fmt::format("constexpr Input {}{{Input::From::{}, {}, nullptr, 0, {{}}, {}}};\n", name,
                                up_to ? "up_to_seen" : "seen", supported, place));
}

Result<std::string> Tables::type_of(const nvmlab::codegen::Field& field, const std::string& owner, bool behind,
                                    char& kind, std::uint64_t& size) {
  const Release& newest = inputs_.newest;
  const std::string& base = field.type.base;
  std::uint64_t elements = 1;
  for (const Extent& extent : field.extents)
    elements *= extent.count;
  size = behind ? 0 : field.size / elements;
  if (base == "nvmlValue_t" || find(newest.handles, base) != nullptr) {
    kind = base == "nvmlValue_t" ? 'v' : 'h';
    size = 8;
    return std::string{"nullptr, nullptr"};
  }
  if (const Enum* list = find(newest.enums, base)) {
    kind = 'e';
    size = 4;
    return names_of_enum(*list) + ", nullptr";
  }
  const Record* inner = field.nested.empty() ? resolve_record(newest, base) : field.nested.data();
  if (inner != nullptr) {
    std::string name = inner->name.empty() ? owner + "_" + field.name : inner->name;
    // A struct of the past holds its members as they were then.
    const TypedStruct* family = inner->name.empty() ? nullptr : types_.struct_of(inner->name);
    if (!behind && inner->size != size && size != 0 && family != nullptr) {
      const auto then = std::ranges::find(family->layouts, size, [](const CLayout& each) { return each.record.size; });
      if (then == family->layouts.end())
        return fail(fmt::format("{}.{}: no layout of {} bytes", owner, field.name, size));
      inner = &then->record;
      name = then->name;
    }
    kind = 'r';
    size = inner->size;
    const auto made = record(*inner, name);
    if (!made) return std::unexpected(made.error());
    return "nullptr, " + *made;
  }
  const Scalar scalar = scalar_of(newest, base);
  if (scalar.size == 0) return fail(fmt::format("{}.{} is a {}, which cannot be shown", owner, field.name, base));
  kind = scalar.kind;
  size = scalar.size;
  return std::string{"nullptr, nullptr"};
}

Result<std::string> Tables::field(const nvmlab::codegen::Field& field, const std::string& owner,
                                  std::int16_t counted_by) {
  char kind = 0;
  std::uint64_t size = 0;
  const bool behind = field.type.pointers > 0;
  const auto type = type_of(field, owner, behind, kind, size);
  if (!type) return std::unexpected(type.error());
  std::uint64_t extent = field.extents.empty() ? 0 : 1;
  for (const Extent& each : field.extents)
    extent *= each.count;
  if (field.type.base == "char" && (behind || extent > 0)) {
    kind = 't';
    size = behind ? 0 : extent;
    extent = 0;
  } else if (field.type.base == "unsigned char" && extent > 0) {
    kind = 'x';
    size = extent;
    extent = 0;
  }
  const std::string full_name = owner + "." + field.name;
  return fmt::format("{{\"{}\", {}, {}, {}, Kind{{'{}'}}, Mask::{}, {}, {}, {}, {}}}", field.name, field.offset, size,
                     extent, kind, rules_.mask(full_name), behind, counted_by, slot(full_name), *type);
}

Result<std::string> Tables::record(const Record& record, const std::string& name) {
  const std::string table = "kRecord_" + identifier(name);
  if (made_.contains(table)) return "&" + table;
  std::vector<const nvmlab::codegen::Field*> kept;
  const bool versioned = is_versioned(name);
  for (const auto& each : record.fields) {
    const bool word = versioned && each.name == "version";
    const bool spare =
        each.name.starts_with("reserved") && !each.extents.empty();  // nvmlMemory_v2_t::reserved is a number
    if (!word && !spare) kept.push_back(&each);
  }
  const TypedStruct* typed = types_.struct_of(name);
  // The member that counts: as the binding's rows say, else of what is behind a pointer the one with such a name.
  const auto counter = [&](const nvmlab::codegen::Field& each) -> std::int16_t {
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (typed != nullptr) {
        const auto row = typed->rows.find(kept[i]->name);
        if (row != typed->rows.end() &&
            std::ranges::find(row->second.count_of, each.name) != row->second.count_of.end())
          return static_cast<std::int16_t>(i);
      }
      if (each.type.pointers > 0 && each.type.base != "char" && counting(*kept[i])) return static_cast<std::int16_t>(i);
    }
    return -1;
  };
  std::string rows;
  for (const auto* each : kept) {
    const auto made = field(*each, name, counter(*each));
    if (!made) return std::unexpected(made.error());
    rows += fmt::format("    {},\n", *made);
  }
  const std::string fields = rows.empty() ? "{}" : "kFields_" + identifier(name);
  if (!rows.empty()) text_ += fmt::format("constexpr Field {}[] = {{\n{}}};\n", fields, rows);
  return make(table, fmt::format("constexpr Record {}{{\"{}\", {}, {}, {}}};\n", table, name, record.size,
                                 record.is_union, fields));
}

bool Tables::is_versioned(const std::string& record) const {
  const TypedStruct* typed = types_.struct_of(record);
  if (typed == nullptr) return false;
  const auto at = std::ranges::find(typed->layouts, record, &CLayout::name);
  return at != typed->layouts.end() && !at->version_word.empty();
}

std::string Tables::key(const std::string& name, const std::string& field, const std::string& input) {
  const std::string table = "kKeyOf_" + identifier(name);
  return fmt::format("{{{}, {}}}", make(table, fmt::format("constexpr Field {}{};\n", table, field)), input);
}

std::string Tables::version(const std::string& numbers, const std::string& record, const std::string& name,
                            const std::string& keys) {
  if (keys.empty()) return fmt::format("{{{}, {}, {{}}}}", numbers, record);
  const std::string table = "kKeys_" + identifier(name);
  make(table, fmt::format("constexpr Key {}[] = {{{}}};\n", table, keys));
  return fmt::format("{{{}, {}, {}}}", numbers, record, table);
}

std::string Tables::versions(const std::string& name, const std::string& all) {
  const std::string table = "kVersions_" + identifier(name);
  make(table, fmt::format("constexpr Version {}[] = {{{}}};\n", table, all));
  return table;
}

}  // namespace nvmlab::codegen::walk
