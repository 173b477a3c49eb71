// SPDX-License-Identifier: Apache-2.0
#include "command/compare/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <tuple>

#include "command/cli/output.hpp"
#include "command/compare/cut_text.hpp"
#include "command/compare/name_list.hpp"
#include "compare/calls.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

using compare::Class;
using compare::Line;
using compare::Matched;
using compare::Pair;

constexpr std::size_t kGap = 2;

std::string short_name(const compare::Statement& statement) {
  if (!statement.label.empty()) return statement.label;
  const std::string& topic = statement.topic;
  const std::string& name = statement.name;
  if (name.size() > topic.size() + 1 && name.starts_with(topic) &&
      (name[topic.size()] == '.' || name[topic.size()] == '/'))
    return name.substr(topic.size() + 1);
  return name;
}

struct TableRow {
  std::string topic;
  std::vector<std::string> cells;  // name, GPUs, class, A, B, maybe origin
};

// "1650000000001, 1650000000002, ..." of lines whose values nobody needs to see in full.
std::string distinct(const std::vector<std::string>& texts) {
  std::vector<std::string> seen;
  for (const std::string& text : texts) {
    if (std::ranges::find(seen, text) == seen.end()) seen.push_back(text);
  }
  return fmt::format("{}", fmt::join(seen, ", "));
}

class Lines {
 public:
  Lines(const compare::Report& report, const Shown& shown) : report_(report), shown_(shown) {}

  std::vector<TableRow> rows(const std::vector<Line>& lines) {
    for (std::size_t first = 0; first < lines.size();) {
      std::size_t end = first + 1;
      while (end < lines.size() && lines[end].which == lines[first].which &&
             lines[end].any().name == lines[first].any().name)
        ++end;
      // Between two drivers they are many, and their values say nothing: they are listed by name.
      const bool export_list = lines[first].which == Class::code && lines[first].any().topic == compare::kExports;
      if (shown_.has(lines[first].which) && !export_list) add({lines.data() + first, end - first});
      first = end;
    }
    return std::move(rows_);
  }

 private:
  // Lines of one name and class. Each has its own row unless they are many, or their values are of no interest.
  void add(std::span<const Line> lines) {
    constexpr std::size_t many = 4;
    const Class which = lines.front().which;
    const bool together = lines.size() >= many || which == Class::noise || which == Class::identifier;
    std::vector<Pair> pairs;
    std::vector<std::string> a;
    std::vector<std::string> b;
    for (const Line& line : lines) {
      auto cells = compare::cells_of(line.a, line.b);
      pairs.insert(pairs.end(), line.gpus.begin(), line.gpus.end());
      a.push_back(cells.a);
      b.push_back(cells.b);
      if (together) continue;
      add_row(line, pairs, a, b);
      add_part(cells);
      pairs.clear();
      a.clear();
      b.clear();
    }
    std::ranges::sort(pairs);
    if (together) add_row(lines.front(), pairs, a, b);
  }

  void add_row(const Line& line, const std::vector<Pair>& pairs, const std::vector<std::string>& a,
               const std::vector<std::string>& b) {
    const compare::Statement& any = line.any();
    TableRow row{any.topic,
                 {short_name(any), report_.matching.pairs.size() > 1 ? name_pairs(pairs, report_.matching) : "",
                  std::string(name_of(line.which)), distinct(a), distinct(b)}};
    if (shown_.origins) row.cells.push_back(line.a == nullptr ? "" : line.a->origin);
    rows_.push_back(std::move(row));
  }

  // What differs first inside the row above.
  void add_part(const compare::Cells& cells) {
    if (cells.part.empty()) return;
    const std::string which = cells.different_parts > 1 ? fmt::format("1 of {}", cells.different_parts) : "";
    TableRow row{rows_.back().topic, {"  " + cells.part, "", which, cells.part_a, cells.part_b}};
    if (shown_.origins) row.cells.emplace_back();
    rows_.push_back(std::move(row));
  }

  const compare::Report& report_;
  const Shown& shown_;
  std::vector<TableRow> rows_;
};

std::string pad(const std::string& text, std::size_t columns) {
  const std::size_t taken = width(text);
  return text + std::string(taken < columns ? columns - taken : 0, ' ');
}

// Room for name, GPUs, class, A, B and origin: what they need, or what there is.
std::vector<std::size_t> share(const std::vector<std::string>& headings, const std::vector<TableRow>& rows,
                               std::size_t columns) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    std::size_t most = width(headings[i]);
    for (const TableRow& row : rows)
      most = std::max(most, width(row.cells[i]));
    widths.push_back(most);
  }
  constexpr std::size_t name = 0, a = 3, b = 4;
  widths[name] = std::min(widths[name], columns * 2 / 5);
  std::size_t rest = columns;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    const std::size_t taken = kGap + (i == a || i == b ? 0 : widths[i]);
    rest -= std::min(rest, taken);
  }
  constexpr std::size_t least = 12;
  rest = std::max(rest, 2 * least);
  const std::size_t smaller = std::min({widths[a], widths[b], rest / 2});
  if (widths[a] <= widths[b]) {
    widths[a] = smaller;
    widths[b] = std::min(widths[b], rest - smaller);
  } else {
    widths[b] = smaller;
    widths[a] = std::min(widths[a], rest - smaller);
  }
  return widths;
}

std::string table_text(const std::vector<TableRow>& rows, const Shown& shown, bool gpus, std::size_t columns) {
  std::vector<std::string> headings{"FIELD", gpus ? "GPU" : "", "CLASS", "A", "B"};
  if (shown.origins) headings.emplace_back("A IS FROM");
  const std::vector<std::size_t> widths = share(headings, rows, columns);
  const auto line = [&](std::vector<std::string> cells) {
    constexpr std::size_t name = 0, gpu = 1, a = 3, b = 4;
    std::tie(cells[a], cells[b]) = cut_pair(cells[a], widths[a], cells[b], widths[b]);
    cells[name] = cut_middle(cells[name], widths[name]);
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i == gpu && widths[i] == 0) continue;
      out += std::string(kGap, ' ') + pad(cut_end(cells[i], widths[i]), widths[i]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = heading(line(headings));
  std::string topic;
  std::vector<std::string> before;
  for (const TableRow& row : rows) {
    if (row.topic != topic) out += row.topic + "\n";
    auto cells = row.cells;
    if (row.topic == topic && !before.empty() && before[0] == cells[0]) cells[0].clear();
    out += line(cells);
    topic = row.topic;
    before = row.cells;
  }
  return out;
}

std::string side_text(char letter, const compare::Side& side) {
  return fmt::format("{}  {}: {}, {}\n", letter, side.name, side.kind, side.what);
}

std::string numbers(const std::vector<int>& gpus) {
  const std::vector<std::uint32_t> indices(gpus.begin(), gpus.end());
  return control::name_gpus(indices);
}

std::string matching_text(const TwoSides& sides, const compare::Matching& matching) {
  std::string out = fmt::format("Compared {0} by {0}", sides.level);
  const bool several = sides.a->gpus.size() > 1 || sides.b->gpus.size() > 1;
  switch (matching.how) {
    case Matched::uuid:
      out += several ? "; GPUs matched by UUID" : "";
      break;
    case Matched::address:
      out += several ? "; GPUs matched by PCI address" : "";
      break;
    case Matched::index:
      out += several ? "; GPUs matched by index" : "";
      break;
    case Matched::board:
      out += several ? fmt::format("; the board of {} with each of {}", sides.a->one_board ? "A" : "B",
                                   sides.a->one_board ? "B" : "A")
                     : "";
      break;
    case Matched::chosen:
      out += "; GPUs as chosen";
      break;
  }
  out += '\n';
  if (matching.how == Matched::board) {
    for (const auto& [gpus, side] : {std::pair{&matching.only_a, 'A'}, std::pair{&matching.only_b, 'B'}})
      if (!gpus->empty()) out += fmt::format("GPU {} of {} is another board\n", numbers(*gpus), side);
    return out;
  }
  if (!matching.only_a.empty()) out += fmt::format("Only A has GPU {}\n", numbers(matching.only_a));
  if (!matching.only_b.empty()) out += fmt::format("Only B has GPU {}\n", numbers(matching.only_b));
  return out;
}

std::string missing_text(const std::vector<Line>& lines, std::size_t columns) {
  NameList only_a;
  NameList only_b;
  for (const Line& line : lines) {
    if (line.which != Class::missing) continue;
    const bool in_a = line.a != nullptr && line.a->observed;
    const compare::Statement& missing = in_a ? *line.a : *line.b;
    (in_a ? only_a : only_b).add(missing.topic, short_name(missing));
  }
  return only_a.text("Only A tells", columns) + only_b.text("Only B tells", columns);
}

std::string exports_text(const std::vector<Line>& lines, std::size_t columns) {
  NameList only_a;
  NameList only_b;
  for (const Line& line : lines) {
    if (line.which != Class::code || line.any().topic != compare::kExports) continue;
    (line.a->code ? only_b : only_a).add(line.any().topic, short_name(line.any()));
  }
  return only_a.text("Only A exports", columns) + only_b.text("Only B exports", columns);
}

std::string counts_text(const compare::Report& report) {
  std::string out;
  for (std::size_t i = 0; i < compare::class_names.size(); ++i) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", report.counts[i], compare::class_names[i]);
    if (i == 0 && report.assumed_equal > 0) out += fmt::format(" ({} by assumption)", report.assumed_equal);
  }
  return out;
}

}  // namespace

std::string name_pairs(const std::vector<Pair>& pairs, const compare::Matching& matching) {
  if (pairs.empty()) return "";
  if (pairs.size() > 1 && pairs.size() == matching.pairs.size()) return "all";
  const bool same = std::ranges::all_of(pairs, [](const Pair& pair) { return pair.first == pair.second; });
  const bool board = matching.how == Matched::board;
  if (same || board) {
    const bool first = std::ranges::any_of(matching.pairs, [](const Pair& pair) { return pair.first != 0; });
    std::vector<int> gpus;
    for (const Pair& pair : pairs)
      gpus.push_back(first || same ? pair.first : pair.second);
    return numbers(gpus);
  }
  std::string out;
  for (const auto& [a, b] : pairs)
    out += fmt::format("{}{}:{}", out.empty() ? "" : ",", a, b);
  return out;
}

std::string comparison_text(const TwoSides& sides, const compare::Report& report, const Shown& shown,
                            std::size_t columns) {
  std::string out = side_text('A', *sides.a) + side_text('B', *sides.b) + matching_text(sides, report.matching);
  const std::vector<Line> lines = compare::group_rows(report);
  const auto rows = Lines(report, shown).rows(lines);
  if (!rows.empty()) out += "\n" + table_text(rows, shown, report.matching.pairs.size() > 1, columns);
  if (shown.has(Class::code)) out += exports_text(lines, columns);
  if (shown.names_of_missing && !shown.has(Class::missing)) out += missing_text(lines, columns);
  return out + "\n" + counts_text(report) + "\n";
}

}  // namespace nvmlab::tool
