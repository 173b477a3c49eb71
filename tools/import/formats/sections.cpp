// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sections.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include "import/formats/foreign_format.hpp"

namespace nvmlab::importer {
namespace {

const ForeignFormat* format_that_starts(std::string_view line) {
  const auto formats = foreign_formats();
  const auto found = std::ranges::find_if(
      formats, [&](const ForeignFormat* format) { return format->of_command() && format->recognises(line); });
  return found == formats.end() ? nullptr : *found;
}

// A heading that names a state: "# idle :: query (-q)".
std::optional<std::string> state_heading(std::string_view line) {
  if (!line.starts_with('#')) return std::nullopt;
  const auto said = trimmed(line.substr(std::min(line.find_first_not_of('#'), line.size())));
  if (said.find(" :: ") == std::string_view::npos) return std::nullopt;
  return std::string(said.substr(0, 200));
}

class SectionFinder {
 public:
  SectionFinder(std::string_view text, const std::shared_ptr<const std::string>& file) : text_(text), file_(file) {}

  std::vector<Section> run() {
    std::size_t number = 1;
    for (std::size_t at = 0; at < text_.size(); ++number) {
      const auto end = std::min(text_.find('\n', at), text_.size());
      const auto next = std::min(end + 1, text_.size());
      take(text_.substr(at, end - at), number, at, next);
      at = next;
    }
    return std::move(sections_);
  }

 private:
  // To its end nothing else starts.
  bool is_closed() const { return open_ && !sections_.back().format->last_line.empty(); }

  void take(std::string_view line, std::size_t number, std::size_t begin, std::size_t next) {
    constexpr std::size_t longest = 65536;  // a line of no tool; XML may be one line as a whole
    if (line.size() > longest && !is_closed() && !kNcclFormat.recognises(line)) {
      open_ = false;
      return;
    }
    if (is_declaration(line)) {
      open_ = false;
      return;
    }
    if (auto said = state_heading(line)) heading_ = std::move(*said);
    if (!is_closed()) start_or_continue(line, number, begin);
    if (!open_) return;
    Section& section = sections_.back();
    const auto first = static_cast<std::size_t>(section.text.data() - text_.data());
    section.text = text_.substr(first, next - first);
    const auto last = section.format->last_line;
    if (!last.empty() && line.find(last) != std::string_view::npos) open_ = false;
  }

  // A DTD inside a log (`nvidia-smi -q -x --dtd`) lists names as the heading of a CSV does.
  bool is_declaration(std::string_view line) {
    if (!in_dtd_ && (is_closed() || !line.starts_with("<!DOCTYPE ") || !line.contains('['))) return false;
    in_dtd_ = !line.contains("]>");
    return true;
  }

  void start_or_continue(std::string_view line, std::size_t number, std::size_t begin) {
    const ForeignFormat* fresh = format_that_starts(line);
    if (fresh == nullptr) {
      open_ = open_ && sections_.back().format->continues(line);
      return;
    }
    const bool joins = open_ && sections_.back().format == fresh && fresh->joins != nullptr && fresh->joins(line);
    if (!joins) {
      sections_.push_back(
          {.format = fresh, .file = file_, .text = text_.substr(begin, 0), .first_line = number, .heading = heading_});
    }
    open_ = true;
  }

  std::string_view text_;
  const std::shared_ptr<const std::string>& file_;
  std::vector<Section> sections_;
  bool open_ = false;  // the last of them
  bool in_dtd_ = false;
  std::string heading_;
};

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = std::min(text.find_first_not_of(blanks), text.size());
  const auto end = text.find_last_not_of(blanks);
  return end == std::string_view::npos ? std::string_view() : text.substr(begin, end + 1 - begin);
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!(line = trimmed(line)).empty()) {
    const auto end = std::min(line.find_first_of(" \t"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
  return words;
}

std::string without_escapes(std::string_view line) {
  std::string plain;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] != '\x1b') {
      plain += line[at];
      continue;
    }
    if (at + 1 < line.size() && line[at + 1] == '[') ++at;
    while (at + 1 < line.size() && std::isalpha(static_cast<unsigned char>(line[at + 1])) == 0 && line[at + 1] != '\t')
      ++at;
    if (at + 1 < line.size() && line[at + 1] != '\t') ++at;
  }
  return plain;
}

std::string_view state_of(std::string_view heading) {
  const auto mark = heading.find(" :: ");
  return mark == std::string_view::npos ? std::string_view() : trimmed(heading.substr(0, mark));
}

std::vector<Line> Section::lines() const {
  std::vector<Line> lines;
  std::string_view rest = text;
  for (std::size_t number = first_line; !rest.empty(); ++number) {
    const auto end = std::min(rest.find('\n'), rest.size());
    lines.push_back({rest.substr(0, end), number});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return lines;
}

std::vector<Section> find_sections(std::string_view text, const std::shared_ptr<const std::string>& file) {
  return SectionFinder(text, file).run();
}

}  // namespace nvmlab::importer
