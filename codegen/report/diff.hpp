// SPDX-License-Identifier: Apache-2.0
// What changed from one release to another, in words: for a person who decides what to do about it. Covered by
// tests/unit/codegen/diff_test.cpp.
#pragma once

#include <vector>

#include "codegen/model/facts.hpp"
#include "codegen/report/text.hpp"

namespace nvmlab::codegen {

std::vector<Section> diff(const Release& before, const Release& after);

// The parts of diff(), each about one kind of thing; internal to codegen/report.
void diff_functions(const Release& before, const Release& after, std::vector<Section>& sections);
void diff_types(const Release& before, const Release& after, std::vector<Section>& sections);
void diff_constants(const Release& before, const Release& after, std::vector<Section>& sections);

// Calls on_removed(old), on_added(new) and on_both(old, new) for two lists that are sorted by name.
template <class T, class Removed, class Added, class Both>
void match(const std::vector<T>& before, const std::vector<T>& after, Removed&& on_removed, Added&& on_added,
           Both&& on_both) {
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    if (b == after.end() || (a != before.end() && a->name < b->name)) {
      on_removed(*a++);
    } else if (a == before.end() || b->name < a->name) {
      on_added(*b++);
    } else {
      on_both(*a++, *b++);
    }
  }
}

}  // namespace nvmlab::codegen
