// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/matching.hpp"

#include <algorithm>
#include <cstddef>

#include "tests/scenarios/scenario.hpp"

namespace nvmlab::scenario {
namespace {

constexpr std::string_view kElision = "...";

bool elides_lines(std::string_view line) { return line == kElision; }

// Blanks at the end of a line are invisible, and editors remove them.
std::string_view without_blanks_at_end(std::string_view line) {
  return line.substr(0, line.find_last_not_of(" \t\r") + 1);
}

// The rest of an expectation behind an elision: its pieces, in this order, the last one at the end.
bool rest_matches(std::string_view expected, std::string_view printed) {
  while (true) {
    const std::size_t elision = expected.find(kElision);
    if (elision == std::string_view::npos) return printed.ends_with(expected);
    const std::string_view piece = expected.substr(0, elision);
    const std::size_t found = printed.find(piece);
    if (found == std::string_view::npos) return false;
    printed.remove_prefix(found + piece.size());
    expected.remove_prefix(elision + kElision.size());
  }
}

// One expected line and the printed line that meets it.
struct Met {
  std::size_t expected;
  std::size_t printed;
};

// The longest run of expected lines, elisions of lines apart, that are met in this order.
std::vector<Met> longest_agreement(const Lines& expected, const Lines& printed) {
  const std::size_t rows = expected.size();
  const std::size_t columns = printed.size();
  std::vector<std::vector<std::size_t>> best(rows + 1, std::vector<std::size_t>(columns + 1));
  const auto met = [&](std::size_t i, std::size_t j) {
    return !elides_lines(expected[i]) && line_matches(expected[i], printed[j]);
  };
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      best[i][j] = std::max(best[i + 1][j], best[i][j + 1]);
      if (met(i, j)) best[i][j] = std::max(best[i][j], best[i + 1][j + 1] + 1);
    }
  }
  std::vector<Met> agreement;
  for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
    if (met(i, j) && best[i][j] == best[i + 1][j + 1] + 1) {
      agreement.push_back({i++, j++});
    } else if (best[i][j] == best[i + 1][j]) {
      ++i;
    } else {
      ++j;
    }
  }
  agreement.push_back({rows, columns});
  return agreement;
}

// The lines between two that are met.
Lines between(const Lines& lines, std::size_t first, std::size_t last) {
  return {lines.begin() + static_cast<std::ptrdiff_t>(first), lines.begin() + static_cast<std::ptrdiff_t>(last)};
}

void add(Lines& lines, const Lines& more) { lines.insert(lines.end(), more.begin(), more.end()); }

}  // namespace

bool line_matches(std::string_view expected, std::string_view printed) {
  expected = without_blanks_at_end(expected);
  printed = without_blanks_at_end(printed);
  if (expected.starts_with('\\')) return expected.substr(1) == printed;
  const std::size_t elision = expected.find(kElision);
  if (elision == std::string_view::npos) return expected == printed;
  if (!printed.starts_with(expected.substr(0, elision))) return false;
  return rest_matches(expected.substr(elision + kElision.size()), printed.substr(elision));
}

bool matches(const Lines& expected, const Lines& printed) {
  // Whether the expectations from i on are met by the lines from j on.
  std::vector<std::vector<char>> met(expected.size() + 1, std::vector<char>(printed.size() + 1, 0));
  met[expected.size()][printed.size()] = 1;
  for (std::size_t i = expected.size(); i-- > 0;) {
    for (std::size_t j = printed.size() + 1; j-- > 0;) {
      const bool more = j < printed.size();
      if (elides_lines(expected[i])) {
        met[i][j] = met[i + 1][j] != 0 || (more && met[i][j + 1] != 0) ? 1 : 0;
      } else {
        met[i][j] = more && met[i + 1][j + 1] != 0 && line_matches(expected[i], printed[j]) ? 1 : 0;
      }
    }
  }
  return met[0][0] != 0;
}

Lines approved(const Lines& expected, const Lines& printed) {
  if (matches(expected, printed)) return expected;
  Lines lines;
  std::size_t i = 0;
  std::size_t j = 0;
  for (const Met& next : longest_agreement(expected, printed)) {
    const Lines wanted = between(expected, i, next.expected);
    const Lines found = between(printed, j, next.printed);
    add(lines, matches(wanted, found) ? wanted : expectation_of(found));
    if (next.expected < expected.size()) lines.push_back(expected[next.expected]);
    i = next.expected + 1;
    j = next.printed + 1;
  }
  return lines;
}

std::string difference(const Lines& expected, const Lines& printed) {
  std::string text;
  const auto tell = [&](std::string_view sign, const Lines& lines) {
    for (const std::string& line : lines)
      text.append("    ").append(sign).append(line).append("\n");
  };
  std::size_t i = 0;
  std::size_t j = 0;
  for (const Met& next : longest_agreement(expected, printed)) {
    const Lines wanted = between(expected, i, next.expected);
    const Lines found = between(printed, j, next.printed);
    const bool good = matches(wanted, found);
    tell(good ? "  " : "- ", wanted);
    if (!good) tell("+ ", found);
    if (next.expected < expected.size()) tell("  ", {expected[next.expected]});
    i = next.expected + 1;
    j = next.printed + 1;
  }
  return text;
}

}  // namespace nvmlab::scenario
