// SPDX-License-Identifier: Apache-2.0
//
// The components of the product and the includes that each may have. components.tsv lists them; its head explains the
// columns. exceptions.tsv lists the includes that the table forbids and the sources still have.
// scripts/components.py reads the same two files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace nvmlab::architecture {

struct Component {
  std::string name;
  std::vector<std::string> paths;  // folders, files, or files without their ending
  std::vector<std::string> uses;
  bool freestanding = false;    // linked into the driver: no C++ runtime (docs/decisions/0002-no-cxx-runtime.md)
  bool separate_files = false;  // none of its files includes another
};

struct Exception {
  std::string file;
  std::string included;
  std::string reason;
};

const std::vector<Component>& components();
const std::vector<Exception>& exceptions();

// Returns the component with the longest path that contains the file; null if no component has it.
const Component* component_of(std::string_view file);

// Returns true if `name`, as a component's row uses it, includes the component `to`: the name of a folder stands for
// all components in it. Within that folder the name means the component itself.
bool covers(std::string_view name, const Component& from, const Component& to);

bool may_use(const Component& from, const Component& to);

// Returns the component's part of the tree below the include roots: "engine" for "simulator/engine/store".
std::string top_of(std::string_view name);

}  // namespace nvmlab::architecture
