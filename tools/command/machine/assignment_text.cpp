// SPDX-License-Identifier: Apache-2.0
#include "command/machine/assignment_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string_view>

#include "base/nearest.hpp"
#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

// "answer:GPU_IS_LOST" is easier on a shell than {answer: GPU_IS_LOST}.
std::string value_text(std::string_view text) {
  constexpr std::string_view kAnswer = "answer:";
  return text.starts_with(kAnswer) ? fmt::format("{{answer: {}}}", text.substr(kAnswer.size())) : std::string(text);
}

// PATH=VALUE.
std::expected<control::Assignment, std::string> parse_assignment(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos)
    return std::unexpected(fmt::format("{}: an assignment such as power.draw_mw=300000 was expected", in_quotes(word)));
  auto ref = compiler::find_field(word.substr(0, equals));
  if (!ref) return std::unexpected(ref.error());
  // An empty variable of a shell, most likely; YAML would read it as null.
  if (word.find_first_not_of(" \t", equals + 1) == std::string_view::npos)
    return std::unexpected(fmt::format("{}: the value is missing; null means that NVML does not support it{}",
                                       in_quotes(word),
                                       ref->field->type == FieldType::text ? ", and \"\" is an empty text" : ""));
  return control::Assignment{std::move(*ref), value_text(word.substr(equals + 1))};
}

struct Found {
  std::vector<control::Assignment> assignments;
  Complaints complaints;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(trimmed(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool says_nothing_here(std::string_view line) { return line.empty() || line.starts_with('#'); }

// A path has no colon; in YAML one comes before any value.
bool has_assignment_lines(const std::vector<std::string_view>& lines) {
  for (const std::string_view line : lines) {
    if (!says_nothing_here(line)) return line.find('=') < line.find(':');
  }
  return false;
}

void take_line(std::string_view line, std::string place, Found& found) {
  auto assignment = parse_assignment(line);
  if (!assignment) return found.complaints.push_back(place + assignment.error());
  assignment->place = std::move(place);
  found.assignments.push_back(std::move(*assignment));
}

// A mapping goes down to the fields that it names; what stands beside a field is its value.
void take_entries(const yaml::Node& mapping, const std::string& above, Found& found) {
  for (const auto& [key, value] : mapping.entries) {
    const std::string path = above.empty() ? key.scalar : fmt::format("{}.{}", above, key.scalar);
    auto ref = compiler::find_field(path);
    const bool goes_down =
        value.is_mapping() && (ref ? ref->field->type == FieldType::record && value.find("answer") == nullptr
                                   : compiler::find_topic(path) != nullptr);
    if (goes_down) {
      take_entries(value, path, found);
    } else if (ref) {
      found.assignments.push_back({std::move(*ref), "", value.error("").text(), value});
    } else {
      found.complaints.push_back(key.error(ref.error()).text());
    }
  }
}

void take_yaml(const std::string& text, const std::string& name, Found& found) {
  const auto root = yaml::parse(text, name);
  if (!root) return found.complaints.push_back(root.error().text());
  if (!root->is_mapping())
    return found.complaints.push_back(
        root->error("topics with fields were expected, such as 'thermal: {gpu_c: 91}', or lines PATH=VALUE").text());
  take_entries(*root, "", found);
}

std::optional<std::string> read_text(const std::string& file) {
  if (file == "-") return std::string(std::istreambuf_iterator<char>(std::cin), {});
  std::ifstream stream(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream.is_open() || stream.bad()) return std::nullopt;
  return text;
}

}  // namespace

std::expected<std::vector<control::Assignment>, Complaints> parse_assignments(const std::vector<std::string>& words) {
  std::vector<control::Assignment> assignments;
  Complaints complaints;
  for (const std::string& word : words) {
    auto assignment = parse_assignment(word);
    if (assignment) {
      assignments.push_back(std::move(*assignment));
    } else {
      complaints.push_back(assignment.error());
    }
  }
  if (!complaints.empty()) return std::unexpected(std::move(complaints));
  return assignments;
}

std::expected<std::vector<control::Assignment>, Complaints> read_assignments(const std::string& file) {
  errno = 0;
  const auto text = read_text(file);
  if (!text) return refuse(fmt::format("{}: {}", file, std::strerror(errno == 0 ? EIO : errno)));
  const std::string name = file == "-" ? "standard input" : file;
  Found found;
  const auto lines = split_lines(*text);
  if (has_assignment_lines(lines)) {
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!says_nothing_here(lines[i])) take_line(lines[i], fmt::format("{}:{}: ", name, i + 1), found);
    }
  } else {
    take_yaml(*text, name, found);
  }
  if (found.assignments.empty() && found.complaints.empty()) return refuse(fmt::format("{}: it sets nothing", name));
  if (!found.complaints.empty()) return std::unexpected(std::move(found.complaints));
  return std::move(found.assignments);
}

}  // namespace nvmlab::tool
