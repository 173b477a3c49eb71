// SPDX-License-Identifier: Apache-2.0
#include "command/play/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "command/play/answers.hpp"
#include "command/play/field_check.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {
namespace {

const std::byte* bytes_of_node(const control::MachineView& view) {
  return reinterpret_cast<const std::byte*>(view.node.get());
}

const std::byte* bytes_of_gpu(const control::MachineView& view, std::size_t gpu) {
  return reinterpret_cast<const std::byte*>(&view.gpus[gpu]);
}

bool tells_change(const Expectation& expected) {
  const auto* const field = std::get_if<FieldExpectation>(&expected);
  return field != nullptr && field->relation == Relation::changed_by;
}

std::string who(std::span<const std::uint32_t> gpus) {
  return fmt::format("GPU{} {}", gpus.size() == 1 ? "" : "s", control::name_gpus(gpus));
}

bool is_about(const EventExpectation& expected, const Event& event) {
  return event.type == expected.event->type && (event.of_machine != 0) == expected.event->of_machine &&
         (!expected.xid || event.data == *expected.xid) &&
         (!expected.gpu_instance || event.gpu_instance == *expected.gpu_instance) &&
         (!expected.compute_instance || event.compute_instance == *expected.compute_instance);
}

std::string name_of_event(const EventExpectation& expected) {
  std::string name(expected.event->name);
  if (expected.xid) name += fmt::format(" {}", *expected.xid);
  if (expected.gpu_instance) name += fmt::format(" gpu-instance {}", *expected.gpu_instance);
  if (expected.compute_instance) name += fmt::format(" compute-instance {}", *expected.compute_instance);
  return name;
}

std::string text_of(const yaml::Place& place) {
  return fmt::format("{}:{}:{}", place.file == nullptr ? "" : *place.file, place.line, place.column);
}

std::string in_words(std::uint64_t times) { return times == 1 ? "once" : fmt::format("{} times", times); }

}  // namespace

StepChecks::StepChecks(const ScenarioStep& step, Machine& machine)
    : step_(step), machine_(machine), events_(machine.events().without_counting()) {
  if (std::ranges::any_of(step.expectations, tells_change)) before_ = control::view_of(machine);
}

std::vector<CheckReport> StepChecks::check() const {
  std::vector<CheckReport> reports;
  for (const Expectation& expected : step_.expectations)
    std::ranges::move(std::visit([this](const auto& each) { return check(each); }, expected),
                      std::back_inserter(reports));
  return reports;
}

std::vector<CheckReport> StepChecks::check(const FieldExpectation& expected) const {
  const std::string place = text_of(expected.place);
  if (expected.ref.topic->of_node) {
    const control::MachineView now = control::view_of(machine_, {});
    const auto* const before = before_ ? bytes_of_node(*before_) : nullptr;
    FieldFinding found = check_field(expected, bytes_of_node(now), before);
    return {{place, found.held, "machine: " + found.says}};
  }
  const auto gpus = control::select_gpus(machine_, expected.gpus);
  if (!gpus) return {{place, false, gpus.error()}};
  if (gpus->empty()) return {{place, false, "this machine has no GPU"}};
  const control::MachineView now = control::view_of(machine_, *gpus);
  std::vector<std::pair<FieldFinding, std::vector<std::uint32_t>>> findings;
  for (std::size_t i = 0; i < gpus->size(); ++i) {
    const std::uint32_t gpu = (*gpus)[i];
    FieldFinding found = check_field(expected, bytes_of_gpu(now, i), before_ ? bytes_of_gpu(*before_, gpu) : nullptr);
    const auto same =
        std::ranges::find_if(findings, [&found](const auto& each) { return each.first.says == found.says; });
    if (same != findings.end()) {
      same->second.push_back(gpu);
    } else {
      findings.emplace_back(std::move(found), std::vector{gpu});
    }
  }
  std::vector<CheckReport> reports;
  for (const auto& [found, owners] : findings)
    reports.push_back({place, found.held, fmt::format("{}: {}", who(owners), found.says)});
  return reports;
}

std::vector<CheckReport> StepChecks::check(const EventExpectation& expected) const {
  const std::string place = text_of(expected.place);
  const auto gpus = control::select_gpus(machine_, expected.gpus.value_or("all"));
  if (!gpus) return {{place, false, gpus.error()}};
  std::uint64_t times = 0;
  control::EventReader events = events_;
  while (const auto event = events.take()) {
    const bool of_gpu = !expected.gpus || std::ranges::find(*gpus, event->gpu) != gpus->end();
    if (of_gpu && is_about(expected, *event)) ++times;
  }
  const std::string of = expected.gpus ? " of " + who(*gpus) : "";
  std::string says = fmt::format("event {}{}: {}", name_of_event(expected), of, times == 0 ? "never" : in_words(times));
  if (events.lost() > 0) says += fmt::format(" among the last ones; {} older ones are lost", events.lost());
  const bool held = expected.times ? times == *expected.times : times > 0;
  if (!held)
    says += expected.times
                ? fmt::format("; {} was expected", *expected.times == 0 ? "never" : in_words(*expected.times))
                : "; it was expected";
  return {{place, held, says}};
}

std::vector<CheckReport> StepChecks::check(const AnswerExpectation& expected) const {
  const std::string place = text_of(expected.place);
  const bool of_gpus = is_about_gpu(expected.function);
  const auto gpus = of_gpus ? control::select_gpus(machine_, expected.gpus)
                            : std::expected<std::vector<std::uint32_t>, std::string>(std::in_place, 1, 0U);
  if (!gpus) return {{place, false, gpus.error()}};
  std::vector<Question> questions;
  for (const std::uint32_t gpu : *gpus)
    questions.push_back({expected.function, gpu});
  const auto answers = ask(machine_, questions);
  if (!answers) return {{place, false, answers.error()}};
  std::map<std::string, std::vector<std::uint32_t>> by_answer;
  for (std::size_t i = 0; i < gpus->size(); ++i)
    by_answer[(*answers)[i]].push_back((*gpus)[i]);
  std::vector<CheckReport> reports;
  for (const auto& [answer, owners] : by_answer) {
    std::string says = fmt::format("{}: {} {}", of_gpus ? who(owners) : "machine", expected.function,
                                   answer == "hangs" ? answer : "answers " + answer);
    const bool held = answer == expected.answer;
    if (!held) says += fmt::format("; {} was expected", expected.answer);
    reports.push_back({place, held, says});
  }
  return reports;
}

bool all_held(const std::vector<CheckReport>& reports) { return std::ranges::all_of(reports, &CheckReport::held); }

}  // namespace nvmlab::tool
