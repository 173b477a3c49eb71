// SPDX-License-Identifier: Apache-2.0
// The tables of structs: how each member is shown.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/emit/walk/tables.hpp"
#include "codegen/model/layouts.hpp"

namespace nvmlab::codegen::walk {
namespace {

struct Scalar {
  const char* kind = "";
  std::uint64_t size = 0;
};

Scalar scalar_of(const Release& release, const std::string& base) {
  static const std::map<std::string, Scalar> known = {
      {"unsigned int", {"number", 4}},  {"unsigned long", {"number", 8}},  {"unsigned long long", {"number", 8}},
      {"unsigned char", {"number", 1}}, {"unsigned short", {"number", 2}}, {"int", {"integer", 4}},
      {"long long", {"integer", 8}},    {"double", {"real", 8}},           {"char", {"number", 1}}};
  if (const auto at = known.find(base); at != known.end()) return at->second;
  const Typedef* alias = find(release.typedefs, base);
  if (alias == nullptr || alias->target.pointers > 0) return {};
  return scalar_of(release, alias->target.base);
}

bool counting(const nvmlab::codegen::Field& field) {
  return field.type.base == "unsigned int" && field.type.pointers == 0 && field.extents.empty() &&
         (field.name.ends_with("ount") || field.name.starts_with("num"));
}

// Where the member stands that counts the elements of `counted`, or -1: as the binding's rows say, else of what is
// behind a pointer the one with such a name.
std::int16_t counter_of(const nvmlab::codegen::Field& counted,
                        const std::vector<const nvmlab::codegen::Field*>& members, const TypedStruct* typed) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const nvmlab::codegen::Field& member = *members[i];
    if (typed != nullptr) {
      const auto row = typed->rows.find(member.name);
      if (row != typed->rows.end() &&
          std::ranges::find(row->second.count_of, counted.name) != row->second.count_of.end())
        return static_cast<std::int16_t>(i);
    }
    if (counted.type.pointers > 0 && counted.type.base != "char" && counting(member))
      return static_cast<std::int16_t>(i);
  }
  return -1;
}

}  // namespace

Result<Tables::Shown> Tables::shown_record(const nvmlab::codegen::Field& field, const Record& record,
                                           const std::string& owner, std::uint64_t size) {
  const Record* inner = &record;
  std::string name = inner->name.empty() ? owner + "_" + field.name : inner->name;
  // A struct of the past holds its members as they were then.
  const TypedStruct* family = inner->name.empty() ? nullptr : types_.struct_of(inner->name);
  if (inner->size != size && size != 0 && family != nullptr) {
    const auto then = std::ranges::find(family->layouts, size, [](const CLayout& each) { return each.record.size; });
    if (then == family->layouts.end())
      return fail(fmt::format("{}.{}: no layout of {} bytes", owner, field.name, size));
    inner = &then->record;
    name = then->name;
  }
  const auto made = this->record(*inner, name);
  if (!made) return std::unexpected(made.error());
  return Shown{"record", inner->size, "nullptr", *made};
}

Result<Tables::Shown> Tables::shown(const nvmlab::codegen::Field& field, const std::string& owner, bool behind) {
  const Release& newest = inputs_.newest;
  const std::string& base = field.type.base;
  std::uint64_t elements = 1;
  for (const Extent& extent : field.extents)
    elements *= extent.count;
  if (base == "nvmlValue_t") return Shown{"value", 8};
  if (find(newest.handles, base) != nullptr) return Shown{"handle", 8};
  if (const Enum* list = find(newest.enums, base)) return Shown{"enumerator", 4, names_of_enum(*list)};
  if (const Record* inner = field.nested.empty() ? resolve_record(newest, base) : field.nested.data())
    return shown_record(field, *inner, owner, behind ? 0 : field.size / elements);
  const Scalar scalar = scalar_of(newest, base);
  if (scalar.size == 0) return fail(fmt::format("{}.{} is a {}, which cannot be shown", owner, field.name, base));
  return Shown{scalar.kind, scalar.size};
}

Result<std::string> Tables::field(const nvmlab::codegen::Field& field, const std::string& owner,
                                  std::int16_t counted_by) {
  const bool behind = field.type.pointers > 0;
  auto shown = this->shown(field, owner, behind);
  if (!shown) return std::unexpected(shown.error());
  std::uint64_t extent = field.extents.empty() ? 0 : 1;
  for (const Extent& each : field.extents)
    extent *= each.count;
  const bool text = field.type.base == "char" && (behind || extent > 0);
  if (text || (field.type.base == "unsigned char" && extent > 0)) {
    shown->kind = text ? "text" : "bytes";
    shown->size = text && behind ? 0 : extent;
    extent = 0;
  }
  const std::string full_name = owner + "." + field.name;
  return Designated()
      .named(field.name)
      .with("offset", field.offset, "0")
      .with("size", shown->size, "0")
      .with("extent", extent, "0")
      .with("kind", "Kind::" + shown->kind, "Kind::number")
      .with("mask", "Mask::" + rules_.mask(full_name), "Mask::none")
      .with("behind", behind, "false")
      .with("counted_by", counted_by, "-1")
      .with("slot", slot(full_name), "kNoSlot")
      .with("names", shown->names, "nullptr")
      .with("record", shown->record, "nullptr")
      .row();
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
  std::string rows;
  for (const auto* each : kept) {
    const auto made = field(*each, name, counter_of(*each, kept, types_.struct_of(name)));
    if (!made) return std::unexpected(made.error());
    rows += fmt::format("    {},\n", *made);
  }
  const std::string fields = rows.empty() ? "" : "kFields_" + identifier(name);
  return make("Record", table,
              Designated()
                  .named(name)
                  .with("size", record.size)
                  .with("is_union", record.is_union, "false")
                  .with("fields", fields),
              rows.empty() ? "" : fmt::format("constexpr Field {}[] = {{\n{}}};\n", fields, rows));
}

bool Tables::is_versioned(const std::string& record) const {
  const TypedStruct* typed = types_.struct_of(record);
  if (typed == nullptr) return false;
  const auto at = std::ranges::find(typed->layouts, record, &CLayout::name);
  return at != typed->layouts.end() && !at->version_word.empty();
}

}  // namespace nvmlab::codegen::walk
