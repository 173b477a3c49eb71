// SPDX-License-Identifier: Apache-2.0
#include "base/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace nvmlab {
namespace {

constexpr std::size_t kLongestWord = 64;  // a word longer than any of ours is near none of them

char folded(char letter) {
  if (letter == '-') return '_';
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

// Edits (insert, delete, replace, swap of neighbours) between two words; letter case and dashes cost nothing.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::vector<std::size_t>> cost(from.size() + 1, std::vector<std::size_t>(to.size() + 1));
  for (std::size_t i = 0; i <= from.size(); ++i) {
    for (std::size_t j = 0; j <= to.size(); ++j) {
      if (i == 0 || j == 0) {
        cost[i][j] = i + j;
        continue;
      }
      const bool same = folded(from[i - 1]) == folded(to[j - 1]);
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (same ? 0u : 1u)});
      const bool swapped =
          i > 1 && j > 1 && folded(from[i - 1]) == folded(to[j - 2]) && folded(from[i - 2]) == folded(to[j - 1]);
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[from.size()][to.size()];
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
  if (word.empty() || word.size() > kLongestWord) return {};
  std::string best;
  std::size_t least = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  for (const std::string& candidate : words) {
    const std::size_t edits = distance(word, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

std::vector<std::string> similar(std::string_view word, const std::vector<std::string>& words, std::size_t limit) {
  std::vector<std::string> found;
  const auto same = [](char a, char b) { return folded(a) == folded(b); };
  constexpr std::size_t least = 2;  // a single letter is in most words
  for (const std::string& candidate : words) {
    if (word.size() < least || found.size() == limit) break;
    if (!std::ranges::search(candidate, word, same).empty()) found.push_back(candidate);
  }
  std::string near = nearest(word, words);
  if (!near.empty() && found.size() < limit && std::ranges::find(found, near) == found.end())
    found.push_back(std::move(near));
  return found;
}

std::string did_you_mean(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  std::string text = "did you mean ";
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}'{}'", i == 0 ? "" : i + 1 == words.size() ? " or " : ", ", words[i]);
  return text + "?";
}

std::string hint(std::string_view word, const std::vector<std::string>& words, std::string_view what,
                 std::size_t limit) {
  if (std::string near = nearest(word, words); !near.empty()) return did_you_mean({near});
  if (words.size() <= limit) return fmt::format("{} are: {}", what, fmt::join(words, ", "));
  const auto shown = words.begin() + static_cast<std::ptrdiff_t>(limit);
  return fmt::format("{} are: {} and {} more", what, fmt::join(words.begin(), shown, ", "), words.size() - limit);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t shown = 60;
  std::string out = "'";
  for (char letter : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(letter);
    out += byte < 0x20 || byte == 0x7F ? '?' : letter;
  }
  // A character of several bytes is not cut in the middle.
  if (text.size() > shown) {
    std::size_t keep = shown;
    while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0) == 0x80)
      --keep;
    out.resize(keep + 1);
    return out + "...'";
  }
  return out + "'";
}

}  // namespace nvmlab
