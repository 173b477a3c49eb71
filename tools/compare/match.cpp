// SPDX-License-Identifier: Apache-2.0
//
// Which GPU of one side is which of the other. Tests: tests/unit/compare/match_test.cpp.
#include <algorithm>
#include <map>
#include <string>

#include "compare/compare.hpp"

namespace nvmlab::compare {
namespace {

using Name = std::string SideSubject::*;

// GPUs by that name; nothing where two share one, because then it names nobody.
std::optional<std::map<std::string, int>> named(const Side& side, Name name) {
  std::map<std::string, int> found;
  for (std::size_t i = 0; i < side.gpus.size(); ++i) {
    const std::string& text = side.gpus[i].*name;
    if (!text.empty() && !found.emplace(text, static_cast<int>(i)).second) return std::nullopt;
  }
  return found;
}

// The GPUs of a machine that are such a board, by the product's name; all of them where none is called so.
std::vector<int> gpus_of(const Side& machine, const std::string& board) {
  std::vector<int> named;
  std::vector<int> all;
  for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
    all.push_back(static_cast<int>(i));
    if (machine.gpus[i].board == board) named.push_back(static_cast<int>(i));
  }
  return named.empty() ? all : named;
}

// Pairs in the order of A, where each GPU of the side with fewer has its like on the other.
std::optional<std::vector<Pair>> pairs_by(const Side& a, const Side& b, Name name) {
  const auto there = named(b, name);
  if (!there || !named(a, name)) return std::nullopt;
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < a.gpus.size(); ++i) {
    const auto like = there->find(a.gpus[i].*name);
    if (like != there->end()) pairs.emplace_back(static_cast<int>(i), like->second);
  }
  if (pairs.empty() || pairs.size() < std::min(a.gpus.size(), b.gpus.size())) return std::nullopt;
  return pairs;
}

std::vector<int> left_over(std::size_t count, const std::vector<Pair>& pairs, int Pair::*side) {
  std::vector<bool> taken(count);
  for (const Pair& pair : pairs)
    taken[static_cast<std::size_t>(pair.*side)] = true;
  std::vector<int> left;
  for (std::size_t i = 0; i < count; ++i) {
    if (!taken[i]) left.push_back(static_cast<int>(i));
  }
  return left;
}

}  // namespace

bool is_real_uuid(std::string_view uuid) {
  constexpr std::size_t most_zeros = 16;  // of the 32 digits of a true one, two on average
  constexpr std::string_view prefix = "GPU-";
  if (!uuid.starts_with(prefix)) return false;
  const auto zeros = std::ranges::count(uuid, '0');
  return static_cast<std::size_t>(zeros) <= most_zeros;
}

std::string_view name_of(Matched how) {
  constexpr std::string_view names[] = {"uuid", "address", "index", "board", "chosen"};
  return names[static_cast<std::size_t>(how)];
}

Matching match(const Side& a, const Side& b) {
  Matching matching;
  const int count_a = static_cast<int>(a.gpus.size());
  const int count_b = static_cast<int>(b.gpus.size());
  if (count_a == 1 && a.one_board && !b.one_board) {
    matching.how = Matched::board;
    for (const int i : gpus_of(b, a.gpus.front().board))
      matching.pairs.emplace_back(0, i);
  } else if (count_b == 1 && b.one_board && !a.one_board) {
    matching.how = Matched::board;
    for (const int i : gpus_of(a, b.gpus.front().board))
      matching.pairs.emplace_back(i, 0);
  } else if (auto by_uuid = pairs_by(a, b, &SideSubject::uuid)) {
    matching.how = Matched::uuid;
    matching.pairs = std::move(*by_uuid);
  } else if (auto by_address = pairs_by(a, b, &SideSubject::address)) {
    matching.how = Matched::address;
    matching.pairs = std::move(*by_address);
  } else {
    for (int i = 0; i < std::min(count_a, count_b); ++i)
      matching.pairs.emplace_back(i, i);
  }
  matching.only_a = left_over(a.gpus.size(), matching.pairs, &Pair::first);
  matching.only_b = left_over(b.gpus.size(), matching.pairs, &Pair::second);
  return matching;
}

}  // namespace nvmlab::compare
