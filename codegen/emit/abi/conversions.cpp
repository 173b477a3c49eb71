// SPDX-License-Identifier: Apache-2.0
// conversions.hpp: between the layouts that one struct has had, whether a version word tells them apart
// (nvmlGpuFabricInfo_v2_t and _v3_t) or only the time at which a caller was built (nvmlProcessInfo_t before 11.1).
// Fields go by name; where a name is on one side alone, by place: NVIDIA renamed fields and kept their bytes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codegen/emit/abi.hpp"
#include "codegen/model/layouts.hpp"
#include "codegen/model/struct_version.hpp"

namespace nvmlab::codegen::abi {
namespace {

// A layout as C++ spells it.
struct Layout {
  std::string name;
  Record record;
};

const Field* find_field(const Record& record, const std::string& name) {
  const auto found = std::ranges::find(record.fields, name, &Field::name);
  return found == record.fields.end() ? nullptr : &*found;
}

const Field* field_for(const Record& from, const Record& to, const Field& wanted) {
  if (const Field* same = find_field(from, wanted.name)) return same;
  const auto place = std::ranges::find_if(from.fields, [&](const Field& each) {
    return each.offset == wanted.offset && each.size == wanted.size && each.type == wanted.type &&
           each.extents.size() == wanted.extents.size() && find_field(to, each.name) == nullptr;
  });
  return place == from.fields.end() ? nullptr : &*place;
}

// What a caller says about its own struct stays as the caller said it.
bool is_version(const Field& field) { return field.name == "version"; }

std::string conversion(const Layout& from, const Layout& to) {
  std::string text = fmt::format("inline void carry(const {}& from, {}& to) {{\n", from.name, to.name);
  for (const Field& field : to.record.fields) {
    const Field* source = field_for(from.record, to.record, field);
    if (source == nullptr || is_version(field)) continue;
    const auto each = [](const Field& part) { return part.extents.empty() ? "carry" : "carry_array"; };
    text += fmt::format("  {}(from.{}, to.{});\n", each(field), source->name, field.name);
  }
  return text + "}\n";
}

std::string both_ways(const Layout& older, const Layout& newer) {
  return conversion(older, newer) + conversion(newer, older) + "\n";
}

// nvmlX_v1_t, nvmlX_v2_t ... with a version word: each to the newest and back.
std::string versioned(const Release& newest) {
  std::map<std::string, std::map<std::uint32_t, const Record*>> families;
  for (const Macro& macro : newest.macros) {
    const auto version = struct_version_of(macro);
    if (!version) continue;
    const Record* record = find(newest.records, version->record);
    if (record != nullptr && record->has_version())
      families[version->record.substr(0, version->record.rfind("_v"))][version->number] = record;
  }
  std::string text;
  for (const auto& [stem, versions] : families) {
    const Record& last = *versions.rbegin()->second;
    for (const auto& [number, record] : versions) {
      if (record != &last) text += both_ways({record->name, *record}, {last.name, last});
    }
  }
  return text;
}

std::string historic_pairs(const Inputs& inputs, const std::vector<Release>& views) {
  std::string text;
  for (const ReplacedLayout& layout : replaced_layouts(views)) {
    const Record* now = resolve_record(inputs.newest, layout.name);
    if (now == nullptr || !laid_out_differently(*now, layout.record)) continue;
    const std::string name = fmt::format("historic::{}_before_{}", layout.name, identifier_of(layout.replaced_in));
    text += both_ways({name, layout.record}, {now->name, *now});
  }
  return text;
}

constexpr const char* kParts =
    R"(// Here and not in a namespace of their own, so that an array finds the overload for its elements.
template <class T>
void carry(const T& from, T& to) {
  to = from;
}
template <class From, unsigned long N, class To, unsigned long M>
void carry_array(const From (&from)[N], To (&to)[M]) {
  for (unsigned long i = 0; i < (N < M ? N : M); ++i)
    carry(from[i], to[i]);
}

)";

}  // namespace

Result<std::string> conversions(const Inputs& inputs) {
  const auto views = all_views(inputs.registry);
  if (!views) return std::unexpected(views.error());
  return header_text("Between the layouts that one struct has had: what both have is carried over.",
                     "#include \"nvmlab/abi/generated/historic.hpp\"\n"
                     "#include \"nvmlab/abi/generated/types.hpp\"\n",
                     kParts + versioned(inputs.newest) + historic_pairs(inputs, *views));
}

}  // namespace nvmlab::codegen::abi
