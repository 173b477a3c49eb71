// SPDX-License-Identifier: Apache-2.0
//
// The text of `nvidia-smi -q`: "Key    : value" lines, nested by indentation; a key without a value opens a section,
// and a value may have children too ("Process ID : 7" with "Type" below it). A line "GPU 00000000:18:00.0" in the first
// column starts a GPU. Tests: tests/unit/capture/text_test.cpp, hostile_test.cpp.
#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "import/capture/items.hpp"

namespace nvmlab::capture {
namespace {

std::optional<std::size_t> number(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "Key  : value" or "Key :"; anything else is a section's title. `from` is the column in which the line starts.
void split(std::string_view line, std::size_t from, Item& item) {
  const auto separator = line.find(" : ");
  if (separator != std::string_view::npos) {
    item.name = trim(line.substr(0, separator));
    item.value = trim(line.substr(separator + 3));
    const auto begin = item.value.empty() ? separator + 1 : line.find_first_not_of(" \t", separator + 3);
    item.column = from + begin;
    item.has_value = true;
  } else if (line.ends_with(" :")) {
    item.name = trim(line.substr(0, line.size() - 2));
    item.has_value = true;
  } else {
    item.name = trim(line);
  }
}

}  // namespace

bool is_ellipsis(std::string_view name) {
  constexpr std::string_view dots = ".[]() \xE2\x80\xA6";
  if (name == "--") return true;  // of grep, between the parts that it chose
  return name.find('.') != std::string_view::npos ? name.find_first_not_of(dots) == std::string_view::npos
                                                  : name == "\xE2\x80\xA6";
}

std::expected<Items, Error> read_text(std::string_view log, const Extent& extent, const std::string& name) {
  Items items;
  std::vector<std::size_t> indents;  // of the open sections
  bool in_gpu = false;
  std::size_t gpus = 0;
  std::optional<std::size_t> attached;
  std::size_t line_number = extent.first_line;
  for (std::size_t at = 0; at < log.size(); ++line_number) {
    const auto end = std::min(log.find('\n', at), log.size());
    auto line = log.substr(at, end - at);
    at = end + 1;
    if (line.ends_with(" \\")) line.remove_suffix(2);  // a line's end in Markdown
    line.remove_prefix(std::min({extent.indent, line.find_first_not_of(" \t"), line.size()}));
    const bool says_nothing = trim(line).empty() || is_ellipsis(trim(line));
    if (line_number == extent.first_line || says_nothing) continue;  // the title is the first line

    Item item;
    item.line = line_number;
    const auto indent = std::min(line.find_first_not_of(" \t"), line.size());
    if (indent == 0) {
      indents.clear();
      if (line.starts_with("GPU ") && line.find(" : ") == std::string_view::npos) {
        in_gpu = item.is_gpu = true;
        ++gpus;
        item.name = "gpu";
        item.value = trim(line.substr(4));
        items.push_back(std::move(item));
        continue;
      }
      in_gpu = false;
    }
    while (!indents.empty() && indents.back() >= indent)
      indents.pop_back();
    item.depth = indents.size() + (in_gpu ? 1 : 0);
    indents.push_back(indent);
    item.column = extent.indent + indent + 1;
    split(line, extent.indent + 1, item);
    if (indents.size() > max_depth) {
      return std::unexpected(
          Error{name, line_number, indent + 1,
                fmt::format("sections are nested deeper than {} levels; nvidia-smi nests 6", max_depth)});
    }
    if (items.size() >= max_items) {
      return std::unexpected(Error{
          name, line_number, 1, fmt::format("the log has more than {} lines; no nvidia-smi prints that", max_items)});
    }
    if (item.name == "Attached GPUs" && item.depth == 0) attached = number(item.value);
    items.push_back(std::move(item));
  }

  // A heading with nothing below it says that the log was cut there. A last line without an end does only where GPUs
  // are missing: people do paste text without one.
  const bool open_end = !log.empty() && log.back() != '\n';
  const bool open_section = !items.empty() && !items.back().has_value && !items.back().is_gpu;
  if (open_section || (open_end && attached && gpus < *attached)) {
    const auto& last = items.back();
    return std::unexpected(
        Error{name, last.line, 1,
              fmt::format("the log is cut short after {}; expected the whole output of `nvidia-smi -q`",
                          quoted(last.is_gpu ? last.value : last.name))});
  }
  if (items.empty()) {
    return std::unexpected(
        Error{name, extent.first_line, 1, "the log holds no values; expected the whole output of `nvidia-smi -q`"});
  }
  return items;
}

}  // namespace nvmlab::capture
