// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/oracle/table.hpp"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "tests/support/files.hpp"

namespace nvmlab::oracle {
namespace {

constexpr const char* kAny = "*";
constexpr const char* kNotCalled = "not called";

std::vector<std::string> split(std::string_view text, char by) {
  std::vector<std::string> parts;
  while (true) {
    const auto end = text.find(by);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// "535.261.03 550.163.01 555.58.02" as "535.261.03..555.58.02" where they follow each other in `all`.
std::string ranges(const std::vector<std::string>& all, const std::set<std::string>& some) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!some.contains(all[i])) continue;
    std::size_t last = i;
    while (last + 1 < all.size() && some.contains(all[last + 1]))
      ++last;
    text += fmt::format("{}{}{}", text.empty() ? "" : " ", all[i], last > i ? ".." + all[last] : "");
    i = last;
  }
  return text;
}

std::vector<std::string> expand(const std::vector<std::string>& all, const std::string& text) {
  std::vector<std::string> some;
  for (const auto& word : split(text, ' ')) {
    const auto dots = word.find("..");
    const auto first = std::ranges::find(all, word.substr(0, dots));
    const auto last = dots == std::string::npos ? first : std::ranges::find(all, word.substr(dots + 2));
    for (auto at = first; at != all.end() && at <= last; ++at)
      some.push_back(*at);
  }
  return some;
}

std::vector<std::string> versions(const Table& table) {
  std::vector<std::string> all;
  for (const auto& [version, facts] : table)
    all.push_back(version);
  return all;
}

std::string head(const Table& table, const char* what, const char* columns) {
  return fmt::format(
      "# {}\n# Measured by `no-driver-oracle record`; tests/drivers/oracle/table.hpp tells how to read it.\n"
      "# drivers: {}\n# {}\n",
      what, fmt::join(versions(table), " "), columns);
}

// The fewest rows with `*`: by kind of arguments where the lifecycle does not matter.
void compress(const std::string& function, const std::map<Situation, Answer>& answers, std::vector<Row>* rows) {
  std::map<Answer, int> counts;
  for (const auto& [situation, answer] : answers)
    ++counts[answer];
  const Answer usual = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; })->first;
  rows->push_back({function, {kAny, kAny}, usual});
  std::map<std::string, std::set<Answer>> by_kind;
  for (const auto& [situation, answer] : answers)
    by_kind[situation.arguments].insert(answer);
  for (const auto& [situation, answer] : answers) {
    const auto& of_kind = by_kind[situation.arguments];
    if (of_kind.size() == 1 && situation.lifecycle == answers.begin()->first.lifecycle && answer != usual)
      rows->push_back({function, {kAny, situation.arguments}, answer});
    if (of_kind.size() > 1 && answer != usual) rows->push_back({function, situation, answer});
  }
}

std::expected<std::vector<std::vector<std::string>>, std::string> read_rows(const std::filesystem::path& file,
                                                                            std::size_t columns,
                                                                            std::vector<std::string>* drivers) {
  const auto text = test::read_file(file);
  if (!text) return std::unexpected(file.string() + " cannot be read");
  std::vector<std::vector<std::string>> rows;
  for (const auto& line : split(*text, '\n')) {
    constexpr std::string_view kDrivers = "# drivers: ";
    if (line.starts_with(kDrivers)) *drivers = split(line.substr(kDrivers.size()), ' ');
    if (line.empty() || line.starts_with('#')) continue;
    rows.push_back(split(line, '\t'));
    if (rows.back().size() != columns)
      return std::unexpected(fmt::format("{}: '{}' has not {} columns", file.string(), line, columns));
  }
  return rows;
}

}  // namespace

const Answer* DriverFacts::find(const std::string& function, const Situation& situation) const {
  const Row* best = nullptr;
  int best_score = -1;
  const auto [first, last] = std::ranges::equal_range(rows, function, {}, &Row::function);
  for (auto row = first; row != last; ++row) {
    const bool any_lifecycle = row->situation.lifecycle == kAny;
    const bool any_arguments = row->situation.arguments == kAny;
    if (!any_lifecycle && row->situation.lifecycle != situation.lifecycle) continue;
    if (!any_arguments && row->situation.arguments != situation.arguments) continue;
    const int score = (any_lifecycle ? 0 : 1) + (any_arguments ? 0 : 2);
    if (score > best_score) best = &*row, best_score = score;
  }
  return best == nullptr ? nullptr : &best->answer;
}

DriverFacts compressed(const Observations& observations) {
  DriverFacts facts;
  for (const auto& [function, answers] : observations.calls)
    compress(function, answers, &facts.rows);
  std::ranges::sort(facts.rows);
  facts.error_strings = observations.error_strings;
  facts.not_called = observations.not_called;
  return facts;
}

std::string calls_text(const Table& table) {
  const auto all = versions(table);
  std::map<Row, std::set<std::string>> rows;
  for (const auto& [version, facts] : table) {
    for (const Row& row : facts.rows)
      rows[row].insert(version);
    for (const auto& name : facts.not_called)
      rows[{name, {kAny, kAny}, {kNotCalled, "-"}}].insert(version);
  }
  std::string text = head(table, "What real libraries answer without a driver.",
                          "function\tlifecycle\targuments\tcode\ttouched\tdrivers");
  for (const auto& [row, drivers] : rows) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", row.function, row.situation.lifecycle, row.situation.arguments,
                        row.answer.code, row.answer.touched, ranges(all, drivers));
  }
  return text;
}

std::string error_strings_text(const Table& table) {
  const auto all = versions(table);
  std::map<int, std::map<std::string, std::set<std::string>>> texts;
  for (const auto& [version, facts] : table) {
    for (const auto& [code, said] : facts.error_strings)
      texts[code][said].insert(version);
  }
  std::string text = head(table, "nvmlErrorString of real libraries.", "code\ttext\tdrivers");
  for (const auto& [code, each] : texts) {
    for (const auto& [said, drivers] : each)
      text += fmt::format("{}\t{}\t{}\n", code, said, ranges(all, drivers));
  }
  return text;
}

std::expected<Table, std::string> read_table(const std::filesystem::path& folder) {
  Table table;
  std::vector<std::string> drivers;
  const auto calls = read_rows(folder / "no_driver.tsv", 6, &drivers);
  if (!calls) return std::unexpected(calls.error());
  for (const auto& row : *calls) {
    for (const auto& version : expand(drivers, row[5])) {
      if (row[3] == kNotCalled) {
        table[version].not_called.push_back(row[0]);
      } else {
        table[version].rows.push_back({row[0], {row[1], row[2]}, {row[3], row[4]}});
      }
    }
  }
  const auto texts = read_rows(folder / "error_strings.tsv", 3, &drivers);
  if (!texts) return std::unexpected(texts.error());
  for (const auto& row : *texts) {
    int code = 0;
    std::from_chars(row[0].data(), row[0].data() + row[0].size(), code);
    for (const auto& version : expand(drivers, row[2]))
      table[version].error_strings[code] = row[1];
  }
  for (auto& [version, facts] : table)
    std::ranges::sort(facts.rows);
  return table;
}

}  // namespace nvmlab::oracle
