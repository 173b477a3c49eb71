// SPDX-License-Identifier: Apache-2.0
#include "codegen/report/diff.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "codegen/model/family.hpp"

namespace nvmlab::codegen {

void diff_functions(const Release& before, const Release& after, std::vector<Section>& sections) {
  Section added{"Functions added", {}};
  Section versions{"New versions of functions", {}};
  Section removed{"Functions removed", {}};
  Section retyped{"Functions with another signature", {}};
  Section upgraded{"Plain names that a C program now resolves differently", {}};
  Section deprecated{"Functions newly marked deprecated", {}};

  const auto on_added = [&](const Function& function) {
    const FamilyName family = family_of(function.name);
    const auto older = members(before, family.base);
    if (!family.suffixed || older.empty()) {
      added.lines.push_back(signature(function));
      return;
    }
    const bool same = older.back()->same_signature(function);
    versions.lines.push_back(fmt::format("{} beside {}, {}", signature(function), older.back()->name,
                                         same ? "same parameter types" : "other parameter types"));
  };
  const auto on_both = [&](const Function& old, const Function& now) {
    if (!old.same_signature(now))
      retyped.lines.push_back(fmt::format("{}\n    was {}", signature(now), signature(old)));
    if (old.deprecated_since.empty() && !now.deprecated_since.empty()) {
      deprecated.lines.push_back(fmt::format("{}, since {}", now.name, now.deprecated_since));
    }
  };
  match(
      before.functions, after.functions, [&](const Function& f) { removed.lines.push_back(signature(f)); }, on_added,
      on_both);
  for (const Function& function : after.functions) {
    const std::string then = meaning_in_c(before, function.name);
    const std::string now = meaning_in_c(after, function.name);
    if (then != now) upgraded.lines.push_back(fmt::format("{} is {} (was {})", function.name, now, then));
  }
  for (Section* section : {&added, &versions, &removed, &retyped, &upgraded, &deprecated})
    sections.push_back(std::move(*section));
}

std::vector<Section> diff(const Release& before, const Release& after) {
  std::vector<Section> sections;
  diff_functions(before, after, sections);
  diff_types(before, after, sections);
  diff_constants(before, after, sections);
  return sections;
}

}  // namespace nvmlab::codegen
