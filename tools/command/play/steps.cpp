// SPDX-License-Identifier: Apache-2.0
#include "command/play/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/nearest.hpp"
#include "command/play/mapping_reader.hpp"
#include "command/play/words.hpp"

namespace nvmlab::tool {
namespace {

using compiler::Problems;

constexpr std::string_view kStepKeys[] = {"at", "after", "about", "do", "fails", "expect", "within", "show"};
constexpr std::string_view kRefusalKeys[] = {"code", "says"};

// More is no scenario that somebody wrote, and each command is parsed before anything is played.
constexpr std::size_t kMostSteps = 10'000;
constexpr std::size_t kMostCommands = 2'000;
constexpr std::size_t kMostExpectations = 100'000;
constexpr std::size_t kEnoughProblems = 100;  // for anybody to begin with
// A virtual clock begins in 2026 and ends in 2262.
constexpr std::uint64_t kLongestScenarioNs = kLastTime - kVirtualBeginning;

// One, or a list of them.
std::span<const yaml::Node> one_or_more(const yaml::Node& node) {
  return node.is_sequence() ? std::span<const yaml::Node>(node.items) : std::span(&node, 1);
}

class StepReader {
 public:
  explicit StepReader(Problems& problems) : problems_(problems) {}

  ScenarioStep read(const yaml::Node& node) {
    const MappingReader reader(node, "a step", kStepKeys, problems_);
    ScenarioStep step;
    step.place = node.place;
    read_time(reader, node, step);
    step.about = reader.text("about").value_or("");
    step.show = reader.text("show");
    if (const yaml::Node* const commands = reader.find("do")) read_commands(*commands, step);
    if (const yaml::Node* const fails = reader.find("fails")) read_refusal(reader, *fails, step);
    if (const yaml::Node* const expected = reader.find("expect")) read_expectations(*expected, step);
    step.within_ns = reader.duration("within").value_or(0);
    if (const yaml::Node* const within = reader.find("within")) {
      if (step.expectations.empty()) reader.problem(*within, "'within' says how long 'expect' has; there is none");
      check_end(*within, step.within_ns);
    }
    const bool empty = step.commands.empty() && step.expectations.empty() && !step.show && step.about.empty();
    if (node.is_mapping() && empty && problems_.empty())
      reader.problem(node, "a step needs 'do', 'expect', 'show' or 'about'");
    return step;
  }

  bool too_many() const { return commands_ > kMostCommands || expectations_ > kMostExpectations; }

 private:
  void read_time(const MappingReader& reader, const yaml::Node& node, ScenarioStep& step) {
    const yaml::Node* const at = reader.find("at");
    const yaml::Node* const after = reader.find("after");
    if (at != nullptr && after != nullptr)
      return reader.problem(*after, "'at' and 'after' both say when; a step has one of them");
    step.at_ns = reader.duration("at");
    step.after_ns = reader.duration("after").value_or(0);
    if (!step.at_ns) return pass(after == nullptr ? node : *after, step.after_ns);
    if (*step.at_ns < earliest_ns_)
      return reader.problem(
          *at, fmt::format("{} lies before the step above; time does not go backwards", in_quotes(at->scalar)));
    pass(*at, *step.at_ns - earliest_ns_);
  }

  // The step begins so much later than the one above, or more: expectations may take their time, or none.
  void pass(const yaml::Node& node, std::uint64_t by_ns) {
    if (check_end(node, by_ns)) earliest_ns_ += by_ns;
  }

  bool check_end(const yaml::Node& node, std::uint64_t by_ns) {
    const bool good = by_ns <= kLongestScenarioNs - earliest_ns_;
    if (!good) problems_.push_back(node.error("the clock of a machine ends in the year 2262; this is later"));
    return good;
  }

  void read_commands(const yaml::Node& node, ScenarioStep& step) {
    for (const yaml::Node& each : one_or_more(node)) {
      if (++commands_ > kMostCommands || problems_.size() > kEnoughProblems) return;
      if (!each.is_scalar() || each.scalar.empty()) {
        problems_.push_back(each.error(found_instead(each, "a command, such as 'set --gpu 0 thermal.gpu_c=90'")));
        continue;
      }
      auto words = split_words(each.scalar);
      const auto wrong = words ? problem_with_command(*words) : std::optional(words.error());
      if (wrong) {
        problems_.push_back(each.error(*wrong));
      } else {
        step.commands.push_back({each.place, each.scalar, std::move(*words)});
      }
    }
  }

  // A text that is said, or a mapping with it and the exit code.
  void read_refusal(const MappingReader& step_reader, const yaml::Node& node, ScenarioStep& step) {
    ExpectedRefusal refusal{.place = node.place, .code = {}, .says = {}};
    if (node.is_scalar()) {
      refusal.says = step_reader.text("fails").value_or("");
    } else {
      const MappingReader reader(node, "'fails'", kRefusalKeys, problems_);
      constexpr std::uint64_t kHighestCode = 255;
      refusal.code = reader.number("code", kHighestCode);
      refusal.says = reader.text("says").value_or("");
      if (refusal.code == 0) reader.problem(node, "a command that fails does not end with code 0");
    }
    if (step.commands.size() != 1)
      step_reader.problem(node, "'fails' is about the one command of a step; give it a step of its own");
    step.refusal = std::move(refusal);
  }

  void read_expectations(const yaml::Node& node, ScenarioStep& step) {
    for (const yaml::Node& each : one_or_more(node)) {
      if (expectations_ > kMostExpectations || problems_.size() > kEnoughProblems) return;
      auto expected = read_expectation(each, problems_);
      expectations_ += expected.size();
      std::ranges::move(expected, std::back_inserter(step.expectations));
    }
  }

  Problems& problems_;
  std::uint64_t earliest_ns_ = 0;
  std::size_t commands_ = 0;
  std::size_t expectations_ = 0;
};

}  // namespace

std::vector<ScenarioStep> read_steps(const yaml::Node& node, Problems& problems) {
  std::vector<ScenarioStep> steps;
  if (!node.is_sequence() || node.items.empty()) {
    problems.push_back(node.error(found_instead(node, "a list of steps")));
    return steps;
  }
  if (node.items.size() > kMostSteps) {
    problems.push_back(node.error(fmt::format("{} steps; a scenario has at most {}", node.items.size(), kMostSteps)));
    return steps;
  }
  StepReader reader(problems);
  for (const yaml::Node& each : node.items) {
    steps.push_back(reader.read(each));
    if (problems.size() > kEnoughProblems) break;
    if (!reader.too_many()) continue;
    problems.push_back(each.error(
        fmt::format("a scenario has at most {} commands and {} expectations", kMostCommands, kMostExpectations)));
    break;
  }
  return steps;
}

}  // namespace nvmlab::tool
