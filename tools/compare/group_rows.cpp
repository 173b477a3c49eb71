// SPDX-License-Identifier: Apache-2.0
#include "compare/group_rows.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <unordered_map>

#include <fmt/format.h>

namespace nvmlab::compare {
namespace {

bool alike(const Statement* a, const Statement* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->code == b->code && a->observed == b->observed && a->silent == b->silent && a->text == b->text &&
         a->count == b->count && a->parts == b->parts;
}

std::string text_of(const Part& part) { return part.text.empty() ? "''" : part.text; }

std::string items(std::size_t count) {
  if (count == 0) return "none";
  return fmt::format("{} item{}", count, count == 1 ? "" : "s");
}

// 85520809984 is "81559 MiB", where it comes out even, and an identifier of PCI 0x233010DE.
std::string with_unit(const Statement& statement) {
  std::uint64_t number = 0;
  const std::string& text = statement.text;
  constexpr std::uint64_t mib = 1 << 20;
  const bool whole = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  if (statement.hexadecimal && whole) return fmt::format("0x{:X}", number);
  if (statement.unit == "B" && whole && number >= mib && number % (mib / 2) == 0)
    return fmt::format("{}{} MiB", number / mib, number % mib == 0 ? "" : ".5");
  return statement.unit.empty() ? text : fmt::format("{} {}", text, statement.unit);
}

std::string text_of(const Statement& statement) {
  if (statement.code) return statement.text;
  if (statement.shape == StatementShape::list) return items(statement.count);
  if (statement.shape == StatementShape::record) return fmt::format("{} values", statement.parts.size());
  return statement.text.empty() ? "''" : with_unit(statement);
}

std::string cell(const Statement* statement) {
  if (statement == nullptr) return "-";
  std::string text = text_of(*statement);
  if (statement->observed) return text;
  const bool nothing = statement->code || (statement->shape == StatementShape::list && statement->count == 0);
  return nothing ? "-" : fmt::format("({})", text);
}

}  // namespace

std::vector<Line> group_rows(const Report& report) {
  std::vector<std::string_view> topics;
  std::map<std::string_view, std::vector<std::string_view>> names;  // by topic
  std::unordered_map<std::string_view, std::vector<Line>> lines;    // by name
  for (const Row& row : report.rows) {
    const Statement& any = row.any();
    auto& of_topic = names[any.topic];
    if (of_topic.empty()) topics.push_back(any.topic);
    auto& of_name = lines[any.name];
    if (of_name.empty()) of_topic.push_back(any.name);
    auto known = std::ranges::find_if(of_name, [&](const Line& line) {
      return line.which == row.which && alike(line.a, row.a) && alike(line.b, row.b);
    });
    if (known == of_name.end()) known = of_name.insert(of_name.end(), Line{row.which, {}, row.a, row.b});
    if (row.gpus.first != node_index) known->gpus.push_back(row.gpus);
  }
  std::vector<Line> grouped;
  for (const auto topic : topics) {
    for (const auto name : names[topic])
      grouped.insert(grouped.end(), lines[name].begin(), lines[name].end());
  }
  return grouped;
}

Cells cells_of(const Statement* a, const Statement* b) {
  Cells cells;
  cells.a = cell(a);
  cells.b = cell(b);
  if (a == nullptr || b == nullptr || a->code || b->code || a->parts.empty() || b->parts.empty()) return cells;
  const auto pairs = different_parts(*a, *b);
  if (pairs.empty()) return cells;
  // Of a list that differs in what matters, what matters.
  const Class which = class_of(a, b);
  auto first = std::ranges::find_if(pairs, [&](const PartPair& pair) { return class_of(pair) == which; });
  if (first == pairs.end()) first = pairs.begin();
  const auto& [first_a, first_b] = *first;
  cells.part = first->any().name;
  if (cells.part.starts_with('.') || cells.part.starts_with('/')) cells.part.erase(0, 1);
  cells.part_a = first_a == nullptr ? "-" : text_of(*first_a);
  cells.part_b = first_b == nullptr ? "-" : text_of(*first_b);
  cells.different_parts = pairs.size();
  return cells;
}

}  // namespace nvmlab::compare
