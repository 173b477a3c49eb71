// SPDX-License-Identifier: Apache-2.0
// Order of release names: header releases (11.0, 11.2.2, 13.3.29) and driver releases (340.108, 555.58.02) are compared
// number by number, so 11.10 comes after 11.9; the text itself is kept as NVIDIA spells it (leading zeros included).
// Covered by tests/unit/codegen/version_test.cpp.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// Digits and single dots only, starting and ending with a digit.
bool is_version(std::string_view text);

// A missing part counts as smaller than any number: 11.2 < 11.2.0.
std::strong_ordering compare_versions(std::string_view a, std::string_view b);

struct VersionLess {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return compare_versions(a, b) < 0; }
};

// Finds the release that a user means: an exact name, or a prefix of whole parts (13.3 finds 13.3.29, the newest that
// fits). `known` is sorted. The error names the nearest releases.
Result<std::string> resolve_version(const std::vector<std::string>& known, std::string_view wanted);

}  // namespace nvmlab::codegen
