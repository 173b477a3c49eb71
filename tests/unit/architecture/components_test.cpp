// SPDX-License-Identifier: Apache-2.0
//
// Dependencies point one way. The test compares every #include of every file with the table in components.tsv. It
// compares the headers of the code in the drivers with the short list of headers that need no C++ runtime.
#include "tests/unit/architecture/components.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "tests/unit/architecture/sources.hpp"

namespace {

using namespace nvmlab::architecture;
namespace fs = std::filesystem;

class Components : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sources_ = read_sources(project_root());
    for (const auto& source : sources_)
      paths_.insert(source.path);
  }

  // Returns the project's file that an include names, or "" for a third-party header. Searches next to the including
  // file, from the include roots and, for a quoted include, from folders on the include paths of targets.
  static std::string target_of(const Source& source, const Include& include) {
    auto beside = (fs::path(source.path).parent_path() / include.name).lexically_normal().generic_string();
    if (paths_.contains(beside)) return beside;
    for (const std::string root : {"", "simulator/", "tools/", "binding/", "simulator/testing/"}) {
      if (paths_.contains(root + include.name)) return root + include.name;
    }
    if (!include.quoted) return {};
    for (const auto& path : paths_) {
      if (path.ends_with("/" + include.name)) return path;
    }
    return {};
  }

  static bool is_exception(const std::string& file, const std::string& included) {
    return std::ranges::any_of(exceptions(),
                               [&](const Exception& each) { return each.file == file && each.included == included; });
  }

  inline static std::vector<Source> sources_;
  inline static std::set<std::string> paths_;
};

TEST_F(Components, HaveEveryFile) {
  EXPECT_GE(sources_.size(), 50U) << "run with NVMLAB_SOURCE_DIR set to the project's root";
  for (const auto& source : sources_)
    EXPECT_NE(component_of(source.path), nullptr) << source.path << " is in no component of components.tsv";
}

TEST_F(Components, IncludeOnlyWhatTheTableAllows) {
  std::set<std::pair<std::string, std::string>> used_exceptions;
  unsigned arrows = 0;
  for (const auto& source : sources_) {
    const auto* from = component_of(source.path);
    if (from == nullptr) continue;
    for (const auto& include : source.includes) {
      const auto target = target_of(source, include);
      const auto* to = component_of(target);
      if (to == nullptr) continue;
      ++arrows;
      if (is_exception(source.path, target)) {
        EXPECT_FALSE(may_use(*from, *to)) << target << " needs no row in exceptions.tsv";
        used_exceptions.emplace(source.path, target);
        continue;
      }
      EXPECT_TRUE(may_use(*from, *to)) << source.path << ":" << include.line << ": component " << from->name
                                       << " includes " << target << " of component " << to->name
                                       << "; tests/unit/architecture/components.tsv lists what it may include";
    }
  }
  EXPECT_GE(arrows, 100U);
  EXPECT_EQ(used_exceptions.size(), exceptions().size()) << "exceptions.tsv has a row for an include that is gone";
}

TEST_F(Components, HaveFewExceptions) {
  constexpr std::size_t kMost = 6;
  std::cout << exceptions().size() << " includes against the arrows\n";
  for (const Exception& each : exceptions()) {
    std::cout << "  " << each.file << " includes " << each.included << ": " << each.reason << '\n';
    EXPECT_GT(each.reason.size(), 20U) << each.file << " needs a reason";
  }
  EXPECT_LE(exceptions().size(), kMost);
}

TEST_F(Components, WithSeparateFilesIncludeOnlyOthers) {
  const auto stem = [](const std::string& file) { return file.substr(0, file.rfind('.')); };
  unsigned checked = 0;
  for (const auto& source : sources_) {
    const auto* from = component_of(source.path);
    if (from == nullptr || !from->separate_files) continue;
    for (const auto& include : source.includes) {
      const auto target = target_of(source, include);
      if (component_of(target) != from || target.find("/generated/") != std::string::npos) continue;
      EXPECT_EQ(stem(target), stem(source.path))
          << source.path << ":" << include.line << ": files of " << from->name << " do not include each other";
    }
    ++checked;
  }
  EXPECT_GE(checked, 40U);
}

// A component that is larger needs rows for its insides, or the rule that its files do not include each other.
TEST_F(Components, AreSmallEnoughForOneRow) {
  constexpr unsigned kMostLines = 5000;
  std::map<const Component*, unsigned> lines;
  for (const auto& source : sources_) {
    if (!source.generated()) lines[component_of(source.path)] += source.lines;
  }
  for (const auto& [component, count] : lines) {
    if (component == nullptr || component->separate_files || component->uses == std::vector<std::string>{"*"}) continue;
    EXPECT_LE(count, kMostLines) << component->name;
  }
}

TEST_F(Components, QuoteOnlyHeadersOfTheProject) {
  for (const auto& source : sources_) {
    for (const auto& include : source.includes) {
      if (include.quoted) {
        EXPECT_NE(target_of(source, include), "") << source.path << ":" << include.line << ": \"" << include.name
                                                  << "\" is no file of the project; write <> for others' headers";
      }
    }
  }
}

TEST_F(Components, OfTheDriverNeedNoCxxRuntime) {
  // C++ headers are allowed if they have only constants and inline code. Headers of C and of the kernel are all
  // allowed: tests/drivers/abi/needs_test.cpp checks the symbols of the finished library.
  const std::set<std::string> allowed = {
      "array",   "atomic",  "bit",         "compare",     "concepts", "initializer_list", "limits", "span",
      "utility", "version", "type_traits", "string_view", "tuple",    "source_location"};
  unsigned checked = 0;
  for (const auto& source : sources_) {
    const auto* component = component_of(source.path);
    if (component == nullptr || !component->freestanding) continue;
    for (const auto& include : source.includes) {
      if (include.quoted) continue;
      ++checked;
      const bool from_c = include.name.ends_with(".h") ||
                          (include.name.starts_with('c') && include.name != "charconv" && include.name != "chrono" &&
                           include.name != "complex" && include.name != "codecvt" &&
                           include.name != "condition_variable" && include.name != "coroutine");
      EXPECT_TRUE(from_c || allowed.contains(include.name))
          << source.path << ":" << include.line << ": <" << include.name
          << "> needs the C++ runtime; docs/decisions/0002-no-cxx-runtime.md says why the driver has none";
    }
  }
  EXPECT_GE(checked, 10U);
}

TEST(ComponentTable, HasNoCycleAndNoUnknownName) {
  std::set<std::string> names;
  for (const auto& component : components())
    names.insert(component.name);
  EXPECT_EQ(names.size(), components().size());
  for (const auto& component : components()) {
    for (const std::string& name : component.uses) {
      const bool known =
          std::ranges::any_of(components(), [&](const Component& other) { return covers(name, component, other); });
      EXPECT_TRUE(known) << component.name << " uses " << name;
    }
    if (component.uses == std::vector<std::string>{"*"}) continue;
    std::set<const Component*> reached;
    std::vector<const Component*> open{&component};
    while (!open.empty()) {
      const Component* const at = open.back();
      open.pop_back();
      for (const auto& next : components()) {
        if (&next != at && may_use(*at, next) && reached.insert(&next).second) open.push_back(&next);
      }
    }
    EXPECT_FALSE(reached.contains(&component)) << component.name << " reaches itself";
    for (const Component* each : reached)
      EXPECT_FALSE(each->name == "tests" || each->name == "tests/bench") << component.name;
  }
}

TEST(ComponentTable, FindsTheComponentOfAFile) {
  ASSERT_NE(component_of("base/yaml/tree.cpp"), nullptr);
  EXPECT_EQ(component_of("base/yaml/tree.cpp")->name, "base/yaml");
  EXPECT_EQ(component_of("simulator/engine/store/store.cpp")->name, "simulator/engine/store");
  EXPECT_EQ(component_of("simulator/compiler/compiler_api.h")->name, "simulator/compiler/compiler_api.h");
  EXPECT_EQ(component_of("engineering/x.cpp"), nullptr);
}

TEST(ComponentTable, LetsAFoldersNameStandForAllInIt) {
  const Component& store = *component_of("simulator/engine/store/store.cpp");
  const Component& change = *component_of("simulator/engine/change/change.cpp");
  const Component& control = *component_of("simulator/control/machine.cpp");
  EXPECT_TRUE(covers("simulator/engine", control, store));
  EXPECT_FALSE(covers("simulator/engine", store, change));
  EXPECT_FALSE(may_use(store, change));
  EXPECT_TRUE(may_use(control, change));
}

TEST(IncludesOf, ReadsWhatTheCompilerWould) {
  const auto found = includes_of("// #include <no>\n#include <array>\n  #  include \"a/b.hpp\"  // why\n#define X\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].name, "array");
  EXPECT_FALSE(found[0].quoted);
  EXPECT_EQ(found[1].name, "a/b.hpp");
  EXPECT_TRUE(found[1].quoted);
  EXPECT_EQ(found[1].line, 3U);
}

}  // namespace
