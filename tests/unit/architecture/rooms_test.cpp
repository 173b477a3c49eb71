// SPDX-License-Identifier: Apache-2.0
//
// Arrows point inward: every #include of every file against the table in rooms.hpp, and what goes into the driver
// against the short list of headers that need no C++ runtime.
#include "tests/unit/architecture/rooms.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "tests/unit/architecture/sources.hpp"

namespace {

using namespace nvmlab::architecture;
namespace fs = std::filesystem;

class Rooms : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    sources_ = read_sources(project_root());
    for (const auto& source : sources_)
      paths_.insert(source.path);
  }

  // The project's file that an include names: beside the including file, from the root, or from a folder that a target
  // put on its include path. "" for a header from outside.
  static std::string target_of(const Source& source, const std::string& include) {
    auto beside = (fs::path(source.path).parent_path() / include).lexically_normal().generic_string();
    if (paths_.contains(beside)) return beside;
    for (const std::string root : {"", "simulator/", "tools/"}) {
      if (paths_.contains(root + include)) return root + include;
    }
    for (const auto& path : paths_) {
      if (path.ends_with("/" + include)) return path;
    }
    return {};
  }

  inline static std::vector<Source> sources_;
  inline static std::set<std::string> paths_;
};

TEST_F(Rooms, AreAllKnown) {
  EXPECT_GE(sources_.size(), 50U) << "run with NVMLAB_SOURCE_DIR set to the project's root";
  for (const auto& source : sources_)
    EXPECT_NE(room_of(source.path), nullptr) << source.path << " lies in no room";
}

TEST_F(Rooms, ArrowsPointInward) {
  unsigned arrows = 0;
  for (const auto& source : sources_) {
    const auto* from = room_of(source.path);
    if (from == nullptr) continue;
    for (const auto& include : source.includes) {
      const auto target = target_of(source, include.name);
      const auto* to = room_of(target);
      if (to == nullptr) continue;
      ++arrows;
      EXPECT_TRUE(may_use(*from, *to)) << source.path << ":" << include.line << ": room " << from->folder
                                       << " includes " << target << " of room " << to->folder
                                       << "; docs/decisions/0001-rooms.md says which rooms it may use";
    }
  }
  EXPECT_GE(arrows, 100U);
}

TEST_F(Rooms, QuotedIncludesAreOurs) {
  for (const auto& source : sources_) {
    for (const auto& include : source.includes) {
      if (include.quoted) {
        EXPECT_NE(target_of(source, include.name), "") << source.path << ":" << include.line << ": \"" << include.name
                                                       << "\" is no file of the project; write <> for others' headers";
      }
    }
  }
}

TEST_F(Rooms, WhatTheDriverLinksNeedsNoCxxRuntime) {
  // Of the C++ library, only what is all compile time or plain inline code; of C and the kernel, anything (what may be
  // called is judged by the symbols of the finished library, tests/drivers/abi/needs_test.cpp).
  const std::set<std::string> allowed = {
      "array",   "atomic",  "bit",         "compare",     "concepts", "initializer_list", "limits", "span",
      "utility", "version", "type_traits", "string_view", "tuple",    "source_location"};
  unsigned checked = 0;
  for (const auto& source : sources_) {
    const auto* room = room_of(source.path);
    if (room == nullptr || !room->freestanding) continue;
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

// The table itself: room names that exist, no arrow back.
TEST(RoomTable, HasNoCycleAndNoUnknownName) {
  std::map<std::string_view, const Room*> by_folder;
  for (const auto& room : rooms())
    by_folder[room.folder] = &room;
  EXPECT_EQ(by_folder.size(), rooms().size());
  for (const auto& room : rooms()) {
    std::set<std::string_view> reached;
    std::vector<std::string_view> open(room.uses.begin(), room.uses.end());
    while (!open.empty()) {
      const auto next = open.back();
      open.pop_back();
      if (next == "*" || !reached.insert(next).second) continue;
      ASSERT_TRUE(by_folder.contains(next)) << room.folder << " uses " << next;
      open.insert(open.end(), by_folder[next]->uses.begin(), by_folder[next]->uses.end());
    }
    EXPECT_FALSE(reached.contains(room.folder)) << room.folder << " reaches itself";
    EXPECT_FALSE(reached.contains("tests") || reached.contains("tests/bench")) << room.folder;
  }
  ASSERT_NE(room_of("base/yaml/tree.cpp"), nullptr);
  EXPECT_EQ(room_of("base/yaml/tree.cpp")->folder, "base/yaml");
  EXPECT_EQ(room_of("simulator/engine/store/store.cpp")->folder, "simulator/engine");
  EXPECT_EQ(room_of("engineering/x.cpp"), nullptr);
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
