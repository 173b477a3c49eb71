// SPDX-License-Identifier: Apache-2.0
// Files that no program can make read components.tsv repeat some of its names: here they are compared with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/unit/architecture/components.hpp"
#include "tests/unit/architecture/sources.hpp"

namespace {

using namespace nvmlab::architecture;

std::string read(const char* name) {
  std::ifstream file(project_root() / name);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string found(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? match[1].str() : std::string{};
}

// clang-tidy looks at the headers of every component.
TEST(ListsOfComponents, ClangTidyHasEveryTopFolder) {
  std::istringstream alternatives(found(read(".clang-tidy"), "\nHeaderFilterRegex: '/\\(([^)]*)\\)/'"));
  std::set<std::string> filtered;
  for (std::string each; std::getline(alternatives, each, '|');)
    filtered.insert(each);
  std::set<std::string> folders;
  for (const Component& component : components())
    folders.insert(component.name.substr(0, component.name.find('/')));
  EXPECT_EQ(filtered, folders);
}

// The folders that CMakeLists.txt builds, in its order.
std::vector<std::string> built_folders() {
  const std::string text = read("CMakeLists.txt");
  const std::regex list("(?:set|list)\\((?:APPEND )?nvmlab_components\\s+([^)]*)\\)");
  std::vector<std::string> folders;
  for (std::sregex_iterator at(text.begin(), text.end(), list), end; at != end; ++at) {
    std::istringstream words((*at)[1].str());
    for (std::string word; words >> word;)
      folders.push_back(word);
  }
  return folders;
}

std::size_t place_of(const std::vector<std::string>& folders, const std::string& name) {
  std::size_t best = folders.size();
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const bool inside = name == folders[i] || name.starts_with(folders[i] + '/');
    if (inside && (best == folders.size() || folders[i].size() > folders[best].size())) best = i;
  }
  return best;
}

TEST(ListsOfComponents, CMakeBuildsEachAfterWhatItUses) {
  const std::vector<std::string> folders = built_folders();
  ASSERT_GE(folders.size(), 10U);
  std::set<std::size_t> used;
  for (const Component& component : components()) {
    const std::size_t place = place_of(folders, component.name);
    EXPECT_LT(place, folders.size()) << "CMakeLists.txt does not build " << component.name;
    used.insert(place);
    if (component.uses == std::vector<std::string>{"*"}) continue;
    for (const Component& other : components()) {
      const bool header = other.name.find('.') != std::string::npos;  // needs no target
      if (header || !may_use(component, other)) continue;
      EXPECT_LE(place_of(folders, other.name), place) << component.name << " uses " << other.name;
    }
  }
  EXPECT_EQ(used.size(), folders.size()) << "CMakeLists.txt has a folder that is no component of components.tsv";
}

}  // namespace
