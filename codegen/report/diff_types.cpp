// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "codegen/model/layouts.hpp"
#include "codegen/report/diff.hpp"

namespace nvmlab::codegen {
namespace {

std::string_view kind_of(const Record& record) { return record.is_union ? "union" : "struct"; }

// What happened to the fields, one phrase each; nested records as one field.
std::vector<std::string> field_changes(const Record& before, const Record& after) {
  std::vector<std::string> changes;
  for (const Field& old : before.fields) {
    const auto now = std::ranges::find(after.fields, old.name, &Field::name);
    if (now == after.fields.end()) {
      changes.push_back(fmt::format("{} at {} is gone", declaration(old), old.offset));
    } else if (old.offset != now->offset || old.size != now->size) {
      changes.push_back(fmt::format("{} at {}, {} bytes (was at {}, {} bytes)", declaration(*now), now->offset,
                                    now->size, old.offset, old.size));
    } else if (declaration(old) != declaration(*now)) {
      changes.push_back(fmt::format("{} at {} (was {})", declaration(*now), now->offset, declaration(old)));
    } else if (old.nested != now->nested) {
      changes.push_back(fmt::format("{} at {} changed inside", declaration(*now), now->offset));
    }
  }
  for (const Field& now : after.fields) {
    if (std::ranges::find(before.fields, now.name, &Field::name) == before.fields.end()) {
      changes.push_back(fmt::format("{} at {} is new", declaration(now), now.offset));
    }
  }
  return changes;
}

std::string indented(const std::vector<std::string>& changes) {
  std::string text;
  for (const std::string& change : changes)
    text += "\n    " + change;
  return text;
}

struct Target {
  const Record* record;
  std::string spelled;  // "a struct" or "an alias of nvmlX_v2_t"
};

Target target_of(const Release& release, const std::string& name) {
  const Typedef* alias = find(release.typedefs, name);
  return {resolve_record(release, name), alias == nullptr ? "itself" : alias->target.text()};
}

// A name in both releases: is what it stands for laid out anew, or only declared otherwise?
void compare_name(const std::string& name, const Target& old, const Target& now, Section& laid_out_anew,
                  Section& other) {
  if (laid_out_differently(*old.record, *now.record)) {
    const std::string moved =
        old.spelled == now.spelled ? "" : fmt::format(", now {} (was {})", now.spelled, old.spelled);
    laid_out_anew.lines.push_back(fmt::format("{}: {} bytes (was {}){}{}", name, now.record->size, old.record->size,
                                              moved, indented(field_changes(*old.record, *now.record))));
    return;
  }
  const auto changes = field_changes(*old.record, *now.record);
  if (!changes.empty()) other.lines.push_back(fmt::format("{}: same layout{}", name, indented(changes)));
}

}  // namespace

void diff_types(const Release& before, const Release& after, std::vector<Section>& sections) {
  Section added{"Structs and unions added", {}};
  Section removed{"Structs and unions removed", {}};
  Section laid_out_anew{"Types laid out anew under an unchanged name", {}};
  Section other{"Structs and unions that changed without moving anything", {}};
  Section names{"Other type names", {}};

  match(
      before.records, after.records,
      [&](const Record& old) {
        const Target now = target_of(after, old.name);
        if (now.record == nullptr) {
          removed.lines.push_back(fmt::format("{} {}, {} bytes", kind_of(old), old.name, old.size));
        } else {
          compare_name(old.name, {&old, "itself"}, now, laid_out_anew, other);
        }
      },
      [&](const Record& now) {
        const Target old = target_of(before, now.name);
        if (old.record == nullptr) {
          added.lines.push_back(fmt::format("{} {}, {} bytes", kind_of(now), now.name, now.size));
        } else {
          compare_name(now.name, old, {&now, "itself"}, laid_out_anew, other);
        }
      },
      [&](const Record& old, const Record& now) {
        compare_name(old.name, {&old, "itself"}, {&now, "itself"}, laid_out_anew, other);
      });
  match(
      before.typedefs, after.typedefs,
      [&](const Typedef& old) {
        if (find(after.records, old.name) == nullptr)
          names.lines.push_back(fmt::format("{} is gone (was {})", old.name, old.target.text()));
      },
      [&](const Typedef& now) {
        if (find(before.records, now.name) == nullptr)
          names.lines.push_back(fmt::format("{} is new: {}", now.name, now.target.text()));
      },
      [&](const Typedef& old, const Typedef& now) {
        const Target from = target_of(before, old.name);
        const Target to = target_of(after, now.name);
        if (from.record != nullptr && to.record != nullptr) {
          compare_name(now.name, from, to, laid_out_anew, other);
        }
        if (old.target != now.target)
          names.lines.push_back(fmt::format("{} is {} (was {})", now.name, now.target.text(), old.target.text()));
      });
  match(
      before.handles, after.handles,
      [&](const Handle& old) { names.lines.push_back(fmt::format("handle {} is gone", old.name)); },
      [&](const Handle& now) { names.lines.push_back(fmt::format("handle {} is new", now.name)); },
      [](const Handle&, const Handle&) {});
  for (Section* section : {&added, &removed, &laid_out_anew, &other, &names})
    sections.push_back(std::move(*section));
}

}  // namespace nvmlab::codegen
