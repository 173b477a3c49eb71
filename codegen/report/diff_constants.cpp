// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "codegen/report/diff.hpp"

namespace nvmlab::codegen {
namespace {

struct EnumMember {
  std::string name;  // of the enumerator, for match()
  std::string enum_name;
  std::int64_t value = 0;
};

std::vector<EnumMember> members_of(const Release& release) {
  std::vector<EnumMember> list;
  for (const Enum& entry : release.enums) {
    for (const Enumerator& enumerator : entry.enumerators)
      list.push_back({enumerator.name, entry.name, enumerator.value});
  }
  std::ranges::sort(list, {}, &EnumMember::name);
  return list;
}

// Counts and limits grow by design; a moved enumerator is another matter.
bool is_limit(std::string_view name) {
  return name.ends_with("_COUNT") || name.ends_with("_MAX") || name.ends_with("_LAST");
}
bool is_field_id(const Macro& macro) { return macro.name.starts_with("NVML_FI_") && !is_limit(macro.name); }

// A macro with parameters is named by them; what it expands to is code, of which only a change can be told.
std::string value_of(const Macro& macro) {
  if (macro.kind == MacroKind::function_like) return macro.text.substr(0, macro.text.find(" #"));
  return macro.value ? macro.value->text() : macro.text;
}

void diff_enums(const Release& before, const Release& after, std::vector<Section>& sections) {
  Section enums{"Enums added and removed", {}};
  Section added{"Enumerators added", {}};
  Section removed{"Enumerators removed", {}};
  Section moved{"Enumerators whose value moved", {}};
  Section limits{"Counts and limits that changed", {}};
  match(
      before.enums, after.enums, [&](const Enum& old) { enums.lines.push_back(fmt::format("{} is gone", old.name)); },
      [&](const Enum& now) {
        enums.lines.push_back(fmt::format("{} is new, {} enumerators", now.name, now.enumerators.size()));
      },
      [](const Enum&, const Enum&) {});
  match(
      members_of(before), members_of(after),
      [&](const EnumMember& old) {
        removed.lines.push_back(fmt::format("{} = {} of {}", old.name, old.value, old.enum_name));
      },
      [&](const EnumMember& now) {
        if (find(before.enums, now.enum_name) != nullptr) {
          added.lines.push_back(fmt::format("{} = {} in {}", now.name, now.value, now.enum_name));
        }
      },
      [&](const EnumMember& old, const EnumMember& now) {
        if (old.value == now.value) return;
        (is_limit(now.name) ? limits : moved)
            .lines.push_back(fmt::format("{} = {} (was {})", now.name, now.value, old.value));
      });
  for (Section* section : {&enums, &added, &removed, &moved, &limits})
    sections.push_back(std::move(*section));
}

void diff_macros(const Release& before, const Release& after, std::vector<Section>& sections) {
  Section field_ids{"Field ids that moved", {}};
  Section changed{"Macros with another value", {}};
  Section added{"Macros added", {}};
  Section removed{"Macros removed", {}};
  match(
      before.macros, after.macros,
      [&](const Macro& old) { removed.lines.push_back(fmt::format("{} {}", old.name, value_of(old))); },
      [&](const Macro& now) { added.lines.push_back(fmt::format("{} {}", now.name, value_of(now))); },
      [&](const Macro& old, const Macro& now) {
        if (now.kind == MacroKind::function_like && old.kind == now.kind) {
          if (old.text != now.text)
            changed.lines.push_back(fmt::format("{}{} expands to something else", now.name, value_of(now)));
          return;
        }
        if (value_of(old) == value_of(now) && old.kind == now.kind) return;
        (is_field_id(now) ? field_ids : changed)
            .lines.push_back(fmt::format("{} = {} (was {})", now.name, value_of(now), value_of(old)));
      });
  for (Section* section : {&field_ids, &changed, &added, &removed})
    sections.push_back(std::move(*section));
}

}  // namespace

void diff_constants(const Release& before, const Release& after, std::vector<Section>& sections) {
  diff_enums(before, after, sections);
  diff_macros(before, after, sections);
}

}  // namespace nvmlab::codegen
