// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/architecture/picture.hpp"

#include <map>
#include <set>

#include "tests/unit/architecture/rooms.hpp"

namespace nvmlab::architecture {
namespace {

using Arrows = std::map<std::string, std::set<std::string>>;

// The component of a folder: its first name below the include roots ("simulator/engine/store" is in "engine").
std::string top_of(std::string_view folder) {
  for (const std::string_view root : {"simulator/", "tools/"}) {
    if (folder.starts_with(root)) folder.remove_prefix(root.size());
  }
  return std::string(folder.substr(0, folder.find('/')));
}

// "compiler/compiler_api.h": a room that is one file.
bool is_file(std::string_view folder) { return folder.find('.') != std::string_view::npos; }

bool is_drawn(const Room& room) { return std::ranges::find(room.uses, "*") == room.uses.end(); }

void add_arrows(const Room& room, Arrows& arrows, Arrows& dotted) {
  const std::string from = top_of(room.folder);
  arrows[from];
  for (const std::string_view used : room.uses) {
    const std::string to = top_of(used);
    if (to != from) (is_file(used) ? dotted : arrows)[from].insert(to);
  }
}

bool leads(const Arrows& arrows, const std::string& from, const std::string& to) {
  const auto at = arrows.find(from);
  if (at == arrows.end()) return false;
  return at->second.contains(to) ||
         std::ranges::any_of(at->second, [&](const std::string& next) { return leads(arrows, next, to); });
}

// Whether another room that `from` uses leads there too.
bool is_implied(const Arrows& arrows, const std::string& from, const std::string& to) {
  return std::ranges::any_of(arrows.at(from),
                             [&](const std::string& next) { return next != to && leads(arrows, next, to); });
}

}  // namespace

std::string picture_of_rooms() {
  Arrows arrows;
  Arrows dotted;
  std::set<std::string> freestanding;
  for (const Room& room : rooms()) {
    if (!is_drawn(room)) continue;
    add_arrows(room, arrows, dotted);
    if (room.freestanding && room.folder.ends_with(top_of(room.folder))) freestanding.insert(top_of(room.folder));
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
  for (const std::string& room : freestanding)
    text += "  class " + room + " freestanding\n";
  return text + "```\n";
}

}  // namespace nvmlab::architecture
