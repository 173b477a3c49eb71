// SPDX-License-Identifier: Apache-2.0
//
// Many names in little room: a paragraph for each topic, and one name for those that differ in one number alone.
// Tests: tests/unit/command/compare_table_test.cpp.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::tool {

class NameList {
 public:
  // Topics come one after the other; a name that comes again at once counts once.
  void add(const std::string& topic, const std::string& name);

  // "Only A tells (3)", then the paragraphs in lines of at most `columns`; nothing where there is no name.
  std::string text(std::string_view says, std::size_t columns) const;

 private:
  struct Topic {
    std::string name;
    std::vector<std::string> names;
  };
  std::vector<Topic> topics_;
};

// "LINK_L0-71_RX" for three names or more that differ in that number, where the first of them stood.
std::vector<std::string> with_ranges(const std::vector<std::string>& names);

}  // namespace nvmlab::tool
