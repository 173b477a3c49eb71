// SPDX-License-Identifier: Apache-2.0
//
// Finds the logs in a file and hands each to its reader. A log is looked for by its own marks (the root element, the
// title line), so that a file of nothing but a log and a long protocol with several need no different treatment. Tests:
// tests/unit/capture/{corpus,hostile}_test.cpp.
#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "import/capture/items.hpp"

namespace nvmlab::capture {
namespace {

constexpr std::string_view xml_begin = "<nvidia_smi_log";
constexpr std::string_view xml_end = "</nvidia_smi_log>";
constexpr std::string_view text_title = "==============NVSMI LOG==============";

std::string_view line_at(std::string_view bytes, std::size_t at) {
  return bytes.substr(at, std::min(bytes.find('\n', at), bytes.size()) - at);
}

// The nearest heading above: a line that starts with '#' and says something, but not the ruler lines around it.
std::string section_above(std::string_view before) {
  constexpr std::size_t lines_to_look_at = 12;
  for (std::size_t i = 0; i < lines_to_look_at && !before.empty(); ++i) {
    const auto start = before.substr(0, before.size() - 1).rfind('\n');
    const auto begin = start == std::string_view::npos ? 0 : start + 1;
    const auto line = trim(before.substr(begin));
    before = before.substr(0, begin);
    if (!line.starts_with('#')) continue;
    const auto said = trim(line.substr(std::min(line.find_first_not_of('#'), line.size())));
    if (said.empty() || said.starts_with("$ ")) continue;
    return std::string{said.substr(0, 200)};
  }
  return {};
}

// "v12" from the DOCTYPE that stands before the root element. An embedded DTD may lie between the two.
std::string dtd_above(std::string_view before) {
  constexpr std::string_view mark = "nvsmi_device_";
  const auto doctype = before.rfind("<!DOCTYPE nvidia_smi_log");
  if (doctype == std::string_view::npos) return {};
  const auto line = line_at(before, doctype);
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return {};
  const auto version = line.substr(at + mark.size());
  return std::string{version.substr(0, std::min(version.find_first_of(".\""), version.size()))};
}

std::size_t find_xml(std::string_view bytes, std::size_t from) {
  for (auto at = bytes.find(xml_begin, from); at != std::string_view::npos; at = bytes.find(xml_begin, at + 1)) {
    const auto next = at + xml_begin.size();
    if (next >= bytes.size() || std::string_view{" \t\r\n>/"}.find(bytes[next]) != std::string_view::npos) return at;
  }
  return std::string_view::npos;
}

// How far the title of a log is indented; nothing where something else stands before it.
std::optional<std::size_t> indent_of(std::string_view bytes, std::size_t title) {
  constexpr std::size_t most = 64;
  std::size_t indent = 0;
  while (indent < title && indent <= most && (bytes[title - indent - 1] == ' ' || bytes[title - indent - 1] == '\t'))
    ++indent;
  const bool at_start = indent == title || bytes[title - indent - 1] == '\n';
  return at_start && indent <= most ? std::optional(indent) : std::nullopt;
}

std::size_t find_text(std::string_view bytes, std::size_t from) {
  for (auto at = bytes.find(text_title, from); at != std::string_view::npos; at = bytes.find(text_title, at + 1)) {
    if (indent_of(bytes, at)) return at;
  }
  return std::string_view::npos;
}

// A line of a log that is indented as a whole.
std::string_view outdented(std::string_view printed, std::size_t indent) {
  return printed.substr(std::min({indent, printed.find_first_not_of(" \t"), printed.size()}));
}

bool is_indented(std::string_view line) { return !line.empty() && (line.front() == ' ' || line.front() == '\t'); }

// A text log goes on while its first column is blank or holds "Key : value" or "GPU id"; above the GPUs also a title
// with such lines below it ("vGPU Driver Capability").
std::size_t end_of_text(std::string_view bytes, std::size_t begin, std::size_t indent) {
  auto at = begin + line_at(bytes, begin).size() + 1;
  bool gpus = false;
  while (at < bytes.size()) {
    const auto printed = line_at(bytes, at);
    const auto said = trim(printed);
    const auto line = outdented(printed, indent);
    const bool starts_with_letter = !line.empty() && std::isalpha(static_cast<unsigned char>(line.front())) != 0;
    const bool gpu = line.starts_with("GPU ");
    const auto next = std::min(at + printed.size() + 1, bytes.size());
    const auto below = outdented(line_at(bytes, next), indent);
    const bool title = !gpus && is_indented(below) && below.find(" : ") != std::string_view::npos;
    const bool belongs = said.empty() || is_indented(line) || is_ellipsis(said) ||
                         (starts_with_letter && (gpu || title || line.find(" : ") != std::string_view::npos));
    if (!belongs) return at;
    gpus = gpus || gpu;
    at += printed.size() + 1;
  }
  return bytes.size();
}

std::vector<Extent> find_logs(std::string_view bytes) {
  std::vector<Extent> logs;
  std::size_t at = 0;
  std::size_t line = 1;
  std::size_t counted = 0;
  auto next_xml = find_xml(bytes, 0);
  auto next_text = find_text(bytes, 0);
  while (true) {
    if (next_xml != std::string_view::npos && next_xml < at) next_xml = find_xml(bytes, at);
    if (next_text != std::string_view::npos && next_text < at) next_text = find_text(bytes, at);
    const auto begin = std::min(next_xml, next_text);
    if (begin == std::string_view::npos) return logs;
    Extent extent;
    extent.begin = begin;
    extent.format = begin == next_xml ? Format::xml : Format::text;
    if (extent.format == Format::xml) {
      const auto close = bytes.find(xml_end, begin);
      extent.end = close == std::string_view::npos ? bytes.size() : close + xml_end.size();
      extent.dtd = dtd_above(bytes.substr(at, begin - at));
    } else {
      extent.indent = indent_of(bytes, begin).value_or(0);
      extent.end = end_of_text(bytes, begin, extent.indent);
    }
    extent.section = section_above(bytes.substr(at, begin - at));
    line += static_cast<std::size_t>(std::ranges::count(bytes.substr(counted, begin - counted), '\n'));
    counted = begin;
    extent.first_line = line;
    at = extent.end;
    logs.push_back(std::move(extent));
  }
}

}  // namespace

std::string_view trim(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = std::min(text.find_first_not_of(blanks), text.size());
  const auto end = text.find_last_not_of(blanks);
  return end == std::string_view::npos ? std::string_view{} : text.substr(begin, end + 1 - begin);
}

std::string quoted(std::string_view text) {
  constexpr std::size_t enough = 60;
  std::string out = "'";
  for (const char c : text.substr(0, enough)) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte >= 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out + (text.size() > enough ? "...'" : "'");
}

bool holds_log(std::string_view bytes) {
  return find_xml(bytes, 0) != std::string_view::npos || find_text(bytes, 0) != std::string_view::npos;
}

std::string looks_like(std::string_view bytes) {
  const auto said = trim(bytes);
  if (said.empty()) return "the file is empty";
  if (said.find('\0') != std::string_view::npos) return "the file is binary";
  if (said.front() == '<') {
    for (auto at = said.find('<'); at != std::string_view::npos; at = said.find('<', at + 1)) {
      if (at + 1 < said.size() && std::isalpha(static_cast<unsigned char>(said[at + 1])) != 0) {
        const auto tag = said.substr(at + 1, said.find_first_of(" \t\r\n>/", at) - at - 1);
        return fmt::format("the XML has the root element {}", quoted(tag));
      }
    }
  }
  return fmt::format("found {}", quoted(line_at(said, 0)));
}

std::expected<std::vector<Capture>, Error> read_captures(std::string_view bytes, std::string name) {
  if (bytes.size() > max_bytes) {
    return std::unexpected(
        Error{name, 1, 1, fmt::format("the file has {} bytes; at most {} are read", bytes.size(), max_bytes)});
  }
  std::vector<Capture> captures;
  for (const auto& extent : find_logs(bytes)) {
    const auto log = bytes.substr(extent.begin, extent.end - extent.begin);
    auto items = extent.format == Format::xml ? read_xml(log, extent, name) : read_text(log, extent, name);
    if (!items) return std::unexpected(std::move(items.error()));
    Capture capture;
    capture.name = name;
    capture.section = extent.section;
    capture.dtd = extent.dtd;
    capture.format = extent.format;
    capture.begin = extent.begin;
    capture.end = extent.end;
    flatten(*items, capture);
    captures.push_back(std::move(capture));
  }
  if (captures.empty()) {
    constexpr std::string_view wanted = "expected the output of `nvidia-smi -q -x` (XML) or `nvidia-smi -q` (text)";
    return std::unexpected(Error{std::move(name), 1, 1, fmt::format("{}; {}", looks_like(bytes), wanted)});
  }
  return captures;
}

std::expected<Capture, Error> read_capture(std::string_view bytes, std::string name) {
  auto all = read_captures(bytes, std::move(name));
  if (!all) return std::unexpected(std::move(all.error()));
  return std::move(all->front());
}

}  // namespace nvmlab::capture
