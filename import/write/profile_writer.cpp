// SPDX-License-Identifier: Apache-2.0
//
// The profile as YAML, in the order of the vocabulary. The first capture is the source of everything that names none.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "compiler/texts.hpp"
#include "import/write/split_boards.hpp"

namespace nvmlab::importer {
namespace {

// [1980, 1965, ..., 345] as {from: 1980, to: 345, step: 15}: runs of at least four.
std::string with_runs(std::string_view list) {
  std::vector<std::int64_t> numbers;
  while (!list.empty()) {
    std::int64_t number = 0;
    const auto end = std::from_chars(list.data(), list.data() + list.size(), number);
    if (end.ec != std::errc()) return {};
    numbers.push_back(number);
    list.remove_prefix(static_cast<std::size_t>(end.ptr - list.data()));
    while (list.starts_with(',') || list.starts_with(' '))
      list.remove_prefix(1);
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i + 1;
    const std::int64_t step = last < numbers.size() ? numbers[last] - numbers[i] : 0;
    while (step != 0 && last + 1 < numbers.size() && numbers[last + 1] - numbers[last] == step)
      ++last;
    constexpr std::size_t shortest = 4;
    if (step == 0 || last - i + 1 < shortest) {
      parts.push_back(std::to_string(numbers[i++]));
      continue;
    }
    parts.push_back(fmt::format("{{from: {}, to: {}, step: {}}}", numbers[i], numbers[last], step < 0 ? -step : step));
    i = last + 1;
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

// Lists of numbers inside a value, shorter.
std::string shortened(std::string yaml) {
  for (auto open = yaml.find("[", 1); open != std::string::npos; open = yaml.find("[", open + 1)) {
    const auto close = yaml.find_first_of("[]{\"", open + 1);
    if (close == std::string::npos || yaml[close] != ']') continue;
    const std::string runs = with_runs(std::string_view(yaml).substr(open + 1, close - open - 1));
    if (!runs.empty()) yaml.replace(open, close - open + 1, runs);
  }
  return yaml;
}

// Rows of a list of records that are equal and stand together, once: [{repeat: 18, active: active}].
std::string with_repeats(std::string yaml) {
  std::vector<std::string> rows;
  std::size_t depth = 0;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 1; i + 1 < yaml.size(); ++i) {
    const char letter = yaml[i];
    if (quoted && letter == '\\') {
      ++i;  // and what it stands before
      continue;
    }
    if (letter == '"') quoted = !quoted;
    if (quoted) continue;
    if (letter == '{' && depth++ == 0) begin = i;
    if (letter == '}' && --depth == 0) rows.push_back(yaml.substr(begin, i + 1 - begin));
  }
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[i])
      ++end;
    parts.push_back(end - i == 1 ? rows[i] : fmt::format("{{repeat: {}, {}", end - i, rows[i].substr(1)));
    i = end;
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string value_text(const std::string& field, const Fact& fact) {
  std::string value = fact.yaml;
  std::uint64_t number = 0;
  const bool whole =
      std::from_chars(value.data(), value.data() + value.size(), number).ptr == value.data() + value.size();
  if (fact.known && whole && in_hexadecimal(field)) value = fmt::format("0x{:X}", number);
  constexpr std::uint64_t kMiB = 1 << 20;
  if (fact.known && whole && field.ends_with("_bytes") && number >= kMiB && number % kMiB == 0)
    value = fmt::format("{} MiB", number / kMiB);
  if (value.starts_with("[{")) value = with_repeats(value);
  return value.starts_with('[') ? shortened(value) : value;
}

class Writer {
 public:
  explicit Writer(const Evidence& evidence) : evidence_(evidence) {}

  // Topics of a mapping, `indent` columns in.
  void topics(const Facts& facts, std::size_t indent) {
    std::string topic;
    std::string record;
    for (const auto& [field, fact] : facts) {  // in the order of their names, so those of a topic stand together
      const auto dot = field.find('.');
      const auto second = field.find('.', dot + 1);
      if (field.substr(0, dot) != topic) {
        topic = field.substr(0, dot);
        record.clear();
        line(indent, topic + ":");
      }
      if (second == std::string::npos) {
        record.clear();
        line(indent + 2, fmt::format("{}: {}", field.substr(dot + 1), sourced(field, fact)), fact.place);
        continue;
      }
      if (const auto name = field.substr(dot + 1, second - dot - 1); name != record) {
        record = name;
        line(indent + 2, record + ":");
      }
      line(indent + 4, fmt::format("{}: {}", field.substr(second + 1), sourced(field, fact)), fact.place);
    }
  }

  void line(std::size_t indent, std::string_view text, const yaml::Place& origin = {}) {
    origins_.push_back(origin);
    if (first_indent_) {
      out_ += fmt::format("{:{}}- {}\n", "", *first_indent_, text);
      first_indent_.reset();
      return;
    }
    out_ += fmt::format("{:{}}{}\n", "", indent, text);
  }
  // The next line starts an item of a list.
  void item(std::size_t indent) { first_indent_ = indent; }

  Written take() { return {std::move(out_), std::move(origins_)}; }

 private:
  std::string sourced(const std::string& field, const Fact& fact) const {
    const std::string value = value_text(field, fact);
    if (fact.source == 0) return value;
    const std::string& id = evidence_.sources[fact.source].id;
    if (value.starts_with("{answer:")) return fmt::format("{}, source: {}}}", value.substr(0, value.size() - 1), id);
    return fmt::format("{{value: {}, source: {}}}", value, id);
  }

  const Evidence& evidence_;
  std::string out_;
  std::vector<yaml::Place> origins_;
  std::optional<std::size_t> first_indent_;
};

// Which sources some value names; the first one is that of all others.
std::vector<bool> sources_of(const Evidence& evidence, const Folded& folded) {
  std::vector<bool> used(evidence.sources.size());
  used[0] = true;
  const auto look = [&](const Facts& facts) {
    for (const auto& [field, fact] : facts)
      used[fact.source] = true;
  };
  look(evidence.node.facts);
  for (const Board& board : folded.boards)
    look(board.facts);
  for (const Placed& gpu : folded.gpus)
    look(gpu.facts);
  return used;
}

}  // namespace

bool in_hexadecimal(std::string_view field) {
  for (const auto rules : {board_rules(), reading_rules()}) {
    for (const Rule& rule : rules) {
      const bool bits = rule.shape == Shape::hex || rule.shape == Shape::bit || rule.shape == Shape::known_bit;
      if (rule.field == field && bits) return true;
    }
  }
  return false;
}

Written write_profile(const Evidence& evidence, const Folded& folded, const std::string& machine) {
  Writer out(evidence);
  out.line(0, "# Made by `nvmlab import`; docs/guide/profiles.md says how to read and change it.");
  out.line(0, "machine: " + machine);
  std::vector<std::string> held;
  for (std::size_t i = 0; i < folded.boards.size(); ++i) {
    const auto count = std::ranges::count(folded.gpus, i, &Placed::board);
    held.push_back(fmt::format("{} x {}", count, folded.boards[i].product.empty() ? "GPU" : folded.boards[i].product));
  }
  out.line(0, "doc: " + compiler::yaml_scalar(fmt::format("{}, from a capture", fmt::join(held, ", "))));
  out.line(0, "sources:");
  const auto used = sources_of(evidence, folded);
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) {
    const Source& source = evidence.sources[i];
    if (!used[i]) continue;
    std::string said = source.yaml;
    if (!source.note.empty()) said.insert(said.size() - 1, ", note: " + compiler::yaml_scalar(source.note));
    out.line(2, fmt::format("{}: {}", source.id, said));
  }
  out.line(0, "source: " + evidence.sources.front().id);
  out.topics(evidence.node.facts, 0);
  out.line(0, "profiles:");
  for (const Board& board : folded.boards) {
    out.line(2, board.name + ":");
    if (!board.family.empty()) out.line(4, "inherits: " + board.family);
    out.topics(board.facts, 4);
  }
  out.line(0, "gpus:");
  for (const Placed& gpu : folded.gpus) {
    out.item(2);
    out.line(4, "profile: " + folded.boards[gpu.board].name);
    out.topics(gpu.facts, 4);
  }
  return out.take();
}

}  // namespace nvmlab::importer
