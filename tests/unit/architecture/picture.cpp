// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/architecture/picture.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "tests/unit/architecture/components.hpp"

namespace nvmlab::architecture {
namespace {

using Arrows = std::map<std::string, std::set<std::string>>;

// Components that are nothing but headers, as "simulator/compiler/compiler_api.h".
bool has_only_headers(const Component& component) {
  return std::ranges::all_of(component.paths, [](const std::string& path) { return path.find('.') != path.npos; });
}

bool names_only_headers(std::string_view name) {
  const auto named = std::ranges::find(components(), name, &Component::name);
  return named != components().end() && has_only_headers(*named);
}

bool is_drawn(const Component& component) { return std::ranges::find(component.uses, "*") == component.uses.end(); }

void add_arrows(const Component& component, Arrows& arrows, Arrows& dotted) {
  const std::string from = top_of(component.name);
  arrows[from];
  for (const std::string& used : component.uses) {
    const std::string to = top_of(used);
    if (to != from) (names_only_headers(used) ? dotted : arrows)[from].insert(to);
  }
}

bool leads(const Arrows& arrows, const std::string& from, const std::string& to) {
  const auto at = arrows.find(from);
  if (at == arrows.end()) return false;
  return at->second.contains(to) ||
         std::ranges::any_of(at->second, [&](const std::string& next) { return leads(arrows, next, to); });
}

// Returns true if another component that `from` uses leads there too.
bool is_implied(const Arrows& arrows, const std::string& from, const std::string& to) {
  return std::ranges::any_of(arrows.at(from),
                             [&](const std::string& next) { return next != to && leads(arrows, next, to); });
}

}  // namespace

std::string picture_of_components() {
  Arrows arrows;
  Arrows dotted;
  std::map<std::string, bool> freestanding;
  for (const Component& component : components()) {
    if (!is_drawn(component)) continue;
    add_arrows(component, arrows, dotted);
    if (has_only_headers(component)) continue;
    const auto [top, first] = freestanding.emplace(top_of(component.name), component.freestanding);
    if (!first) top->second = top->second && component.freestanding;
  }
  std::string text = "```mermaid\nflowchart TD\n";
  for (const auto& [from, all] : arrows) {
    if (all.empty()) text += "  " + from + "\n";
    for (const std::string& to : all) {
      if (!is_implied(arrows, from, to)) text += "  " + from + " --> " + to + "\n";
    }
    for (const std::string& to : dotted[from]) {
      if (!all.contains(to)) text += "  " + from + " -.-> " + to + "\n";
    }
  }
  text += "  classDef freestanding stroke-width:3px\n";
  for (const auto& [name, all_parts] : freestanding) {
    if (all_parts) text += "  class " + name + " freestanding\n";
  }
  return text + "```\n";
}

}  // namespace nvmlab::architecture
