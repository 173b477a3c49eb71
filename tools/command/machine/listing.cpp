// SPDX-License-Identifier: Apache-2.0
#include "command/machine/listing.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/fields.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

using compiler::FieldRef;
using compiler::Style;

constexpr std::size_t kLongestValue = 96;
constexpr std::size_t kShortestValue = 20;  // in a terminal that is too narrow for names and values
constexpr std::size_t kSourceIndent = 4;

const std::byte* bytes_of(const Node& node) { return reinterpret_cast<const std::byte*>(&node); }
const std::byte* bytes_of(const Gpu& gpu) { return reinterpret_cast<const std::byte*>(&gpu); }

// A list's length on the GPU that has most.
std::uint32_t longest(const FieldRef& list, const control::MachineView& view) {
  if (list.topic->of_node) return compiler::list_count(*list.field, bytes_of(*view.node) + list.offset);
  std::uint32_t count = 0;
  for (const Gpu& gpu : view.gpus)
    count = std::max(count, compiler::list_count(*list.field, bytes_of(gpu) + list.offset));
  return count;
}

void add_topic(const Topic& topic, const control::MachineView& view, Listing& listing) {
  if (!topic.of_node && view.gpus.empty()) return;
  for (FieldRef& ref : control::fields_of(topic, [&](const FieldRef& list) { return longest(list, view); }))
    listing.entries.push_back({std::move(ref), false});
}

bool says_nothing(const std::string& value) { return value == "not supported" || value == "[]" || value == "{}"; }

std::string marked(const std::string& value, bool pinned) { return pinned ? value + " (pinned)" : value; }

std::string source_text(const compiler::Provenance* provenance, std::uint32_t gpu, const FieldRef& ref) {
  if (provenance == nullptr) return "";
  const compiler::Source* source = provenance->find(gpu, ref);
  return source == nullptr ? "not stated" : fmt::format("{}: {}", source->kind, source->text);
}

// A path that is longer than a line may go on behind any slash.
std::string with_breaks(const std::string& text, std::size_t room) {
  std::string out;
  std::size_t word = 0;  // its letters so far
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = std::min(text.find(' ', i), text.size());
    out += text[i];
    word = text[i] == ' ' ? 0 : word + 1;
    if (text[i] != '/' || word + (end - i) <= room) continue;
    out += ' ';
    word = 0;
  }
  return out;
}

// GPUs with the same value from the same source share a line.
void add_line(std::vector<FieldLine>& lines, std::size_t first, FieldLine line, std::uint32_t gpu) {
  for (std::size_t i = first; i < lines.size(); ++i) {
    if (lines[i].value == line.value && lines[i].source == line.source) {
      lines[i].gpus.push_back(gpu);
      return;
    }
  }
  line.gpus.push_back(gpu);
  lines.push_back(std::move(line));
}

std::string cut(const std::string& value, std::size_t most) {
  if (value.size() <= most) return value;
  std::size_t end = most - 4;
  while (end > 0 && (static_cast<unsigned char>(value[end]) & 0xC0) == 0x80)
    --end;
  return value.substr(0, end) + " ...";
}

}  // namespace

std::string with_unit(const FieldRef& ref, std::string value) {
  const bool number = !value.empty() && (value[0] == '-' || (value[0] >= '0' && value[0] <= '9'));
  if (number && *ref.field->unit != '\0' && ref.field->type != FieldType::text)
    value += fmt::format(" {}", ref.field->unit);
  return value;
}

std::expected<Listing, Complaints> resolve(const std::vector<std::string>& paths, const control::MachineView& view) {
  Listing listing;
  Complaints complaints;
  if (paths.empty()) {
    for (const Topic& topic : topics())
      add_topic(topic, view, listing);
    return listing;
  }
  for (const std::string& path : paths) {
    if (const Topic* topic = compiler::find_topic(path)) {
      add_topic(*topic, view, listing);
    } else if (auto ref = compiler::find_field(path)) {
      listing.entries.push_back({std::move(*ref), true});
    } else {
      complaints.push_back(ref.error());
    }
  }
  if (!complaints.empty()) return std::unexpected(std::move(complaints));
  return listing;
}

std::expected<std::vector<FieldLine>, Complaints> lines_of(const Listing& listing, const control::MachineView& view,
                                                           const LineOptions& options) {
  std::vector<FieldLine> lines;
  Complaints complaints;
  for (const Listing::Entry& entry : listing.entries) {
    const FieldRef& ref = entry.ref;
    const std::size_t first = lines.size();
    std::string problem;
    const auto take = [&](const std::byte* owner, std::uint32_t gpu,
                          std::size_t at) -> std::expected<FieldLine, std::string> {
      auto value = compiler::format_field(ref, owner, Style::people);
      if (!value) return std::unexpected(value.error());
      return FieldLine{ref.name,
                       marked(with_unit(ref, std::move(*value)), view.pinned(ref, at)),
                       source_text(options.provenance, gpu, ref),
                       {},
                       entry.named};
    };
    const auto wanted = [&](const std::string& value) {
      return entry.named || options.unsupported || !says_nothing(value);
    };
    if (ref.topic->of_node) {
      auto line = take(bytes_of(*view.node), 0, 0);
      if (!line) {
        problem = line.error();
      } else if (wanted(line->value)) {
        lines.push_back(std::move(*line));
      }
    } else {
      for (std::size_t i = 0; i < view.gpus.size(); ++i) {
        auto line = take(bytes_of(view.gpus[i]), view.indices[i], i);
        if (!line) {
          problem = fmt::format("GPU {}: {}", view.indices[i], line.error());
        } else if (wanted(line->value)) {
          add_line(lines, first, std::move(*line), view.indices[i]);
        }
      }
    }
    if (entry.named && !problem.empty()) complaints.push_back(problem);
  }
  if (!complaints.empty()) return std::unexpected(std::move(complaints));
  return lines;
}

std::expected<std::string, std::string> plain_value(const FieldRef& ref, const control::MachineView& view) {
  return compiler::format_field(ref, view.owner_of(ref, 0), Style::people);
}

std::string listing_table(const std::vector<FieldLine>& lines, const control::MachineView& view, bool sources) {
  const bool several = view.gpus.size() > 1;
  std::vector<std::string> headings{"FIELD"};
  if (several) headings.emplace_back("GPU");
  headings.emplace_back("VALUE");
  if (sources) headings.emplace_back("SOURCE");
  std::vector<std::vector<std::string>> rows;
  std::size_t names = 0;
  std::size_t gpu_names = 0;
  for (const FieldLine& line : lines) {
    const bool all = line.gpus.size() == view.gpus.size();
    std::vector<std::string> row{line.path};
    if (several) row.push_back(line.gpus.empty() ? "" : (all ? "all" : control::name_gpus(line.gpus)));
    names = std::max(names, width(row.front()) + 2);
    if (several) gpu_names = std::max(gpu_names, std::max(width(row.back()), headings[1].size()) + 2);
    rows.push_back(std::move(row));
  }
  const std::size_t before_value = names + gpu_names;
  // A source takes a line of its own where it would not fit behind the value.
  const std::size_t room = table_columns();
  const bool narrow = room != kUnlimited;
  const std::size_t longest =
      narrow && room > before_value + kShortestValue ? std::min(kLongestValue, room - before_value) : kLongestValue;
  Table table(narrow && sources ? std::vector<std::string>(headings.begin(), headings.end() - 1) : headings);
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const FieldLine& line = lines[i];
    if (i > 0 && lines[i - 1].path == line.path) rows[i].front().clear();
    rows[i].push_back(line.whole ? line.value : cut(line.value, longest));
    if (sources && !narrow) rows[i].push_back(line.source);
    table.add(std::move(rows[i]));
  }
  if (!sources || !narrow) return table.text();
  // The lines of the table, each with its source below.
  const std::string plain = table.text(kUnlimited);
  std::size_t at = plain.find('\n') + 1;
  text = plain.substr(0, at);
  for (const FieldLine& line : lines) {
    const std::size_t end = plain.find('\n', at) + 1;
    text += plain.substr(at, end - at) + wrap(with_breaks(line.source, room - kSourceIndent), kSourceIndent, room);
    at = end;
  }
  return text;
}

}  // namespace nvmlab::tool
