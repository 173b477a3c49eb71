// SPDX-License-Identifier: Apache-2.0
// See components.hpp.
#include "tests/unit/architecture/components.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/unit/architecture/sources.hpp"

namespace nvmlab::architecture {
namespace {

// The cells of each row below the head.
template <std::size_t N>
std::vector<std::array<std::string, N>> rows_of(const char* name) {
  std::ifstream file(project_root() / "tests/unit/architecture" / name);
  std::vector<std::array<std::string, N>> rows;
  bool head = true;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    if (std::exchange(head, false)) continue;
    std::istringstream cells(line);
    std::array<std::string, N> row;
    for (std::string& cell : row)
      std::getline(cells, cell, '\t');
    rows.push_back(std::move(row));
  }
  if (head) throw std::runtime_error(std::string(name) + " is not there: set NVMLAB_SOURCE_DIR to the project's root");
  return rows;
}

std::vector<std::string> words_of(const std::string& cell) {
  std::istringstream words(cell);
  std::vector<std::string> all;
  for (std::string word; words >> word;)
    all.push_back(word);
  return all;
}

// Expands "a/{b,c}" to "a/b" and "a/c".
std::vector<std::string> paths_of(const std::string& name, const std::string& cell) {
  std::vector<std::string> all;
  for (const std::string& word : words_of(cell)) {
    const std::size_t open = word.find('{');
    if (open == std::string::npos) {
      all.push_back(word);
      continue;
    }
    std::istringstream names(word.substr(open + 1, word.find('}') - open - 1));
    for (std::string each; std::getline(names, each, ',');)
      all.push_back(word.substr(0, open) + each);
  }
  return all.empty() ? std::vector{name} : all;
}

bool lies_in(std::string_view file, std::string_view path) {
  return file.starts_with(path) && (file.size() == path.size() || file[path.size()] == '/' || file[path.size()] == '.');
}

}  // namespace

const std::vector<Component>& components() {
  static const std::vector<Component> all = [] {
    std::vector<Component> made;
    for (const auto& [name, paths, uses, flags] : rows_of<4>("components.tsv")) {
      made.push_back({.name = name,
                      .paths = paths_of(name, paths),
                      .uses = words_of(uses),
                      .freestanding = flags.find("freestanding") != std::string::npos,
                      .separate_files = flags.find("separate files") != std::string::npos});
    }
    return made;
  }();
  return all;
}

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> all = [] {
    std::vector<Exception> made;
    for (const auto& [file, included, reason] : rows_of<3>("exceptions.tsv"))
      made.push_back({file, included, reason});
    return made;
  }();
  return all;
}

const Component* component_of(std::string_view file) {
  const Component* best = nullptr;
  std::size_t longest = 0;
  for (const Component& component : components()) {
    for (const std::string& path : component.paths) {
      if (!lies_in(file, path) || path.size() <= longest) continue;
      best = &component;
      longest = path.size();
    }
  }
  return best;
}

bool covers(std::string_view name, const Component& from, const Component& to) {
  if (name == "*" || name == to.name) return true;
  const std::string folder = std::string(name) + '/';
  const bool inside = from.name == name || from.name.starts_with(folder);
  return !inside && to.name.starts_with(folder);
}

bool may_use(const Component& from, const Component& to) {
  return from.name == to.name ||
         std::ranges::any_of(from.uses, [&](const std::string& name) { return covers(name, from, to); });
}

std::string top_of(std::string_view name) {
  for (const std::string_view root : {"simulator/", "tools/"}) {
    if (name.starts_with(root)) name.remove_prefix(root.size());
  }
  return std::string(name.substr(0, name.find('/')));
}

}  // namespace nvmlab::architecture
