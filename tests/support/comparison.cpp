// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comparison.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "import/capture/leaf_names.hpp"
#include "tests/support/comparison_rules.hpp"

namespace nvmlab::test {
namespace {

// By the names that the newest nvidia-smi gives them.
using Index = std::map<std::pair<int, std::string>, const capture::Leaf*>;

Index by_place(std::span<const capture::Leaf> leaves) {
  Index result;
  for (const auto& leaf : leaves)
    result.try_emplace({leaf.gpu, capture::newest_name(leaf.path)}, &leaf);
  return result;
}

const capture::Leaf* find(const Index& index, int gpu, std::string_view path) {
  const auto found = index.find({gpu, capture::newest_name(path)});
  return found == index.end() ? nullptr : found->second;
}

std::string section_of(const capture::Leaf& leaf) {
  return leaf.gpu == capture::node ? std::string{"(node)"} : leaf.path.substr(0, leaf.path.find_first_of("/["));
}

int last_gpu(std::span<const capture::Leaf> leaves) {
  int last = capture::node;
  for (const auto& leaf : leaves)
    last = std::max(last, leaf.gpu);
  return last;
}

}  // namespace

double Tally::percent() const {
  return compared() == 0 ? 0.0 : 100.0 * static_cast<double>(agreeing) / static_cast<double>(compared());
}

Tally Comparison::without(std::string_view section) const {
  const auto found = sections.find(section);
  if (found == sections.end()) return total;
  return {total.agreeing - found->second.agreeing, total.different - found->second.different};
}

Comparison compare(std::span<const capture::Leaf> expected, std::span<const capture::Leaf> actual, Boards boards) {
  Comparison result;
  const auto wanted = by_place(expected);
  const auto printed = by_place(actual);
  const int captured_last = last_gpu(expected);
  const int printed_last = last_gpu(actual);

  // The captured GPU that a printed one is held against, or nothing to hold it against.
  const auto model_of = [&](int gpu) { return gpu <= captured_last ? gpu : 0; };
  const auto is_stand_in = [&](int gpu) { return gpu > captured_last; };

  for (const auto& leaf : actual) {
    if (is_stand_in(leaf.gpu) && (boards == Boards::as_captured || captured_last < 0)) {
      const bool first_leaf = result.uncompared.empty() || result.uncompared.back().gpu != leaf.gpu;
      if (first_leaf) result.uncompared.push_back({leaf.gpu, "(every leaf)", "this GPU was not captured"});
      continue;
    }
    auto reason = live_by_nature_because(leaf.path);
    if (reason.empty() && is_stand_in(leaf.gpu)) reason = identity_because(leaf.path);
    if (!reason.empty()) {
      result.uncompared.push_back({leaf.gpu, leaf.path, reason});
      continue;
    }
    const auto* found = find(wanted, model_of(leaf.gpu), leaf.path);
    if (found == nullptr) {
      result.only_actual.push_back({leaf.gpu, leaf.path, {}, leaf.value});
      continue;
    }
    auto& section = result.sections[section_of(leaf)];
    if (found->value == leaf.value) {
      ++result.total.agreeing;
      ++section.agreeing;
    } else {
      ++result.total.different;
      ++section.different;
      result.different.push_back({leaf.gpu, leaf.path, found->value, leaf.value});
    }
  }
  for (const auto& leaf : expected) {
    if (find(printed, leaf.gpu, leaf.path) == nullptr)
      result.only_expected.push_back({leaf.gpu, leaf.path, leaf.value, {}});
    if (leaf.gpu != 0 || boards == Boards::as_captured) continue;
    for (int gpu = captured_last + 1; gpu <= printed_last; ++gpu) {
      if (find(printed, gpu, leaf.path) == nullptr) result.only_expected.push_back({gpu, leaf.path, leaf.value, {}});
    }
  }
  return result;
}

}  // namespace nvmlab::test
