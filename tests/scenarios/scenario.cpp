// SPDX-License-Identifier: Apache-2.0
#include "tests/scenarios/scenario.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace nvmlab::scenario {
namespace {

constexpr std::string_view kCommand = "$ ";
constexpr std::string_view kContinuation = "> ";
constexpr std::string_view kNeeds = "needs:";

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == std::string_view::npos; }
bool is_comment(std::string_view line) { return line.starts_with('#'); }
bool is_command(std::string_view line) { return line.starts_with(kCommand); }
bool is_continuation(std::string_view line) { return line == ">" || line.starts_with(kContinuation); }

// "[4]"
std::optional<int> exit_code_of(std::string_view line) {
  if (line.size() < 3 || line.front() != '[' || line.back() != ']') return std::nullopt;
  int code = 0;
  const char* const end = line.data() + line.size() - 1;
  const auto read = std::from_chars(line.data() + 1, end, code);
  if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
  return code;
}

std::string trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return "";
  return std::string(text.substr(first, text.find_last_not_of(" \t") - first + 1));
}

// Would be read as something else than output.
bool has_meaning(const std::string& line) {
  return is_comment(line) || is_command(line) || is_continuation(line) || exit_code_of(line).has_value() ||
         line.starts_with('\\') || line.find("...") != std::string::npos;
}

// Reads the step whose command stands at `at`, and leaves `at` behind it.
Step read_step(const std::vector<std::string>& lines, std::size_t& at) {
  Step step;
  step.line = at + 1;
  step.command = lines[at].substr(kCommand.size());
  for (++at; at < lines.size() && is_continuation(lines[at]); ++at)
    step.command += "\n" + (lines[at].size() > kContinuation.size() ? lines[at].substr(kContinuation.size()) : "");
  step.first = at;
  while (at < lines.size() && !is_command(lines[at]) && !is_comment(lines[at]))
    ++at;
  step.last = at;
  while (step.last > step.first && is_blank(lines[step.last - 1]))
    --step.last;
  const auto begin = lines.begin();
  step.expected.assign(begin + static_cast<std::ptrdiff_t>(step.first), begin + static_cast<std::ptrdiff_t>(step.last));
  if (step.expected.empty()) return step;
  if (const auto code = exit_code_of(step.expected.back())) {
    step.exit_code = *code;
    step.expected.pop_back();
  }
  return step;
}

std::unexpected<std::string> wrong(std::size_t at, std::string_view says) {
  return std::unexpected(fmt::format("{}: {}", at + 1, says));
}

}  // namespace

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::expected<Scenario, std::string> parse(std::string_view text) {
  Scenario scenario;
  scenario.lines = lines_of(text);
  for (std::size_t at = 0; at < scenario.lines.size();) {
    const std::string& line = scenario.lines[at];
    if (is_command(line)) {
      scenario.steps.push_back(read_step(scenario.lines, at));
      if (is_blank(scenario.steps.back().command))
        return wrong(scenario.steps.back().line - 1, "no command behind '$'");
      continue;
    }
    if (line.starts_with(kNeeds)) {
      scenario.needs.push_back(trimmed(std::string_view(line).substr(kNeeds.size())));
      if (scenario.needs.back().empty())
        return wrong(at, "the name of a client was expected, as in needs: nvidia-smi-550");
    } else if (!is_blank(line) && !is_comment(line) && !scenario.steps.empty()) {
      return wrong(at, "output of no command: a comment ended the command above; put the comment before it");
    } else if (!is_blank(line) && !is_comment(line)) {
      return wrong(at, "a comment (# ...), a client (needs: ...) or a command ($ ...) was expected");
    }
    ++at;
  }
  if (scenario.steps.empty())
    return wrong(scenario.lines.size(), "no command; a line such as `$ nvmlab up ci` was expected");
  return scenario;
}

std::vector<std::string> expectation_of(const std::vector<std::string>& printed) {
  std::vector<std::string> expected;
  for (const std::string& line : printed)
    expected.push_back(has_meaning(line) ? "\\" + line : line);
  return expected;
}

std::string with_expectations(const Scenario& scenario, const std::vector<Replacement>& replacements) {
  std::string text;
  std::size_t at = 0;
  const auto copy_until = [&](std::size_t end) {
    for (; at < end; ++at)
      text += scenario.lines[at] + "\n";
  };
  for (std::size_t i = 0; i < scenario.steps.size(); ++i) {
    copy_until(scenario.steps[i].first);
    for (const std::string& line : replacements[i].expected)
      text += line + "\n";
    if (replacements[i].exit_code != 0) text += fmt::format("[{}]\n", replacements[i].exit_code);
    at = scenario.steps[i].last;
  }
  copy_until(scenario.lines.size());
  return text;
}

}  // namespace nvmlab::scenario
