// SPDX-License-Identifier: Apache-2.0
// Layouts over time: what a type's name meant at a release, and which layouts it no longer means. A name can be a
// struct in one release and an alias in the next (nvmlProcessInfo_t), so names are followed through their aliases
// before they are compared. Covered by tests/unit/codegen/layouts_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

// The record that a name stands for, through aliases; null for scalars, enums, handles and unknown names.
const Record* resolve_record(const Release& release, std::string_view name);

// Can a program that was built for one not use the other? Size, alignment, or a field of the same name at another place
// or of another size. A field carved out of reserved space, or a renamed one, is not a new layout.
bool laid_out_differently(const Record& a, const Record& b);

// A layout that a name had and has no more.
struct ReplacedLayout {
  std::string name;
  std::string first_release;
  std::string last_release;
  std::string replaced_in;  // the release with the next layout, or the first without the name
  bool gone = false;        // the newest release does not know the name
  Record record;
};

// By name, then oldest first. `views` are the releases, oldest first.
std::vector<ReplacedLayout> replaced_layouts(const std::vector<Release>& views);

// The replaced layout that a name meant at a release; null if it meant what it means in the newest release.
const ReplacedLayout* layout_at(const std::vector<ReplacedLayout>& replaced, std::string_view name,
                                std::string_view release);

}  // namespace nvmlab::codegen
