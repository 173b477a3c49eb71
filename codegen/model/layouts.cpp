// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/layouts.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

const Field* field_named(const Record& record, const std::string& name) {
  const auto at = std::ranges::find(record.fields, name, &Field::name);
  return at == record.fields.end() ? nullptr : &*at;
}

std::set<std::string> record_names(const Release& release) {
  std::set<std::string> names;
  for (const Record& record : release.records)
    names.insert(record.name);
  for (const Typedef& alias : release.typedefs) {
    if (resolve_record(release, alias.name) != nullptr) names.insert(alias.name);
  }
  return names;
}

}  // namespace

const Record* resolve_record(const Release& release, std::string_view name) {
  constexpr int longest_chain = 16;  // a registry on disk could hold a ring
  for (int step = 0; step < longest_chain; ++step) {
    if (const Record* record = find(release.records, name)) return record;
    const Typedef* alias = find(release.typedefs, name);
    if (alias == nullptr || alias->target.pointers != 0) return nullptr;
    name = alias->target.base;
  }
  return nullptr;
}

bool laid_out_differently(const Record& a, const Record& b) {
  if (a.size != b.size || a.align != b.align || a.is_union != b.is_union) return true;
  return std::ranges::any_of(a.fields, [&](const Field& field) {
    const Field* other = field_named(b, field.name);
    if (other == nullptr || field.name.empty()) return false;
    if (field.offset != other->offset) return true;
    const bool array_grew_into_reserve = field.name.starts_with("reserved");
    if (field.size != other->size) return !array_grew_into_reserve;
    const bool nested = !field.nested.empty() && !other->nested.empty();
    return nested && laid_out_differently(field.nested.front(), other->nested.front());
  });
}

std::vector<ReplacedLayout> replaced_layouts(const std::vector<Release>& views) {
  std::map<std::string, std::string> began;  // name to the release that its present layout began with
  std::vector<ReplacedLayout> replaced;
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::set<std::string> names = record_names(views[i]);
    for (const std::string& name : names)
      began.try_emplace(name, views[i].version);
    if (i == 0) continue;
    for (const std::string& name : record_names(views[i - 1])) {
      const Record& before = *resolve_record(views[i - 1], name);
      const Record* after = resolve_record(views[i], name);
      const bool gone = after == nullptr;
      if (!gone && !laid_out_differently(before, *after)) continue;
      // A name that goes and comes back as it was has not changed its meaning.
      const Record* newest = resolve_record(views.back(), name);
      if (gone && newest != nullptr && !laid_out_differently(before, *newest)) continue;
      replaced.push_back({name, began[name], views[i - 1].version, views[i].version, newest == nullptr, before});
      began[name] = views[i].version;
    }
  }
  std::ranges::sort(replaced, [](const ReplacedLayout& a, const ReplacedLayout& b) {
    return a.name != b.name ? a.name < b.name : compare_versions(a.replaced_in, b.replaced_in) < 0;
  });
  return replaced;
}

const ReplacedLayout* layout_at(const std::vector<ReplacedLayout>& replaced, std::string_view name,
                                std::string_view release) {
  for (const ReplacedLayout& layout : replaced) {
    if (layout.name == name && compare_versions(release, layout.replaced_in) < 0) return &layout;
  }
  return nullptr;
}

}  // namespace nvmlab::codegen
