// SPDX-License-Identifier: Apache-2.0
// Reports as JSON and as JUnit XML.
#include <fmt/format.h>

#include "base/duration.hpp"
#include "base/xml_text.hpp"
#include "command/play/report.hpp"

namespace nvmlab::tool {
namespace {

Json json_of_step(const StepReport& report) {
  Json commands = Json::array();
  for (const CommandReport& each : report.commands)
    commands.push_back({{"command", each.command->text},
                        {"code", each.outcome.code},
                        {"printed", each.outcome.printed},
                        {"complaints", each.outcome.complaints}});
  Json checks = Json::array();
  for (const CheckReport& each : report.checks)
    checks.push_back({{"held", each.held}, {"says", each.says}, {"place", each.place}});
  Json step = {{"began_ns", report.began_ns}, {"ended_ns", report.ended_ns},     {"title", title_of(*report.step)},
               {"passed", report.passed()},   {"commands", std::move(commands)}, {"checks", std::move(checks)},
               {"failures", report.failures}};
  if (report.step->show) step["show"] = {{"moment", *report.step->show}, {"printed", report.shown}};
  return step;
}

std::string seconds(std::uint64_t ns) {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  constexpr std::uint64_t kMicrosecondNs = 1'000;
  return fmt::format("{}.{:06}", ns / kSecondNs, ns % kSecondNs / kMicrosecondNs);
}

Complaints failures_of(const StepReport& step) {
  Complaints failures = step.failures;
  for (const CheckReport& check : step.checks) {
    if (!check.held) failures.push_back(check.place + ": " + check.says);
  }
  return failures;
}

std::string junit_case(const std::string& scenario, const std::string& name, std::uint64_t ns,
                       const Complaints& failures, const std::string& said) {
  std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{}\">\n", xml_escaped(scenario),
                                 xml_escaped(name), seconds(ns));
  if (!failures.empty())
    text += fmt::format("      <failure message=\"{}\">{}</failure>\n", xml_escaped(failures.front()),
                        xml_escaped(fmt::format("{}", fmt::join(failures, "\n"))));
  if (!said.empty()) text += fmt::format("      <system-out>{}</system-out>\n", xml_escaped(said));
  return text + "    </testcase>\n";
}

struct Cases {
  std::string text;
  std::size_t all = 0;
  std::size_t failed = 0;

  void add(const std::string& scenario, const std::string& name, std::uint64_t ns, const Complaints& failures,
           const std::string& said) {
    text += junit_case(scenario, name, ns, failures, said);
    ++all;
    if (!failures.empty()) ++failed;
  }
};

Cases cases_of(const PlayReport& report) {
  const std::string& scenario = report.scenario->name;
  Cases cases;
  for (const StepReport& step : report.steps)
    cases.add(scenario, fmt::format("{} {}", duration_text(step.began_ns), title_of(*step.step)),
              step.ended_ns - step.began_ns, failures_of(step), text_of_step(step));
  if (!report.failures.empty()) cases.add(scenario, "to its end", 0, report.failures, "");
  return cases;
}

}  // namespace

Json json_of_plays(const std::vector<PlayReport>& reports) {
  Json scenarios = Json::array();
  for (const PlayReport& report : reports) {
    Json steps = Json::array();
    for (const StepReport& step : report.steps)
      steps.push_back(json_of_step(step));
    scenarios.push_back({{"name", report.scenario->name},
                         {"about", report.scenario->about},
                         {"sources", report.scenario->sources},
                         {"machine", report.machine},
                         {"passed", report.passed()},
                         {"failures", report.failures},
                         {"steps", std::move(steps)}});
  }
  return {{"scenarios", std::move(scenarios)}};
}

std::string junit_of_plays(const std::vector<PlayReport>& reports) {
  std::string suites;
  std::size_t all = 0;
  std::size_t failed = 0;
  for (const PlayReport& report : reports) {
    const Cases cases = cases_of(report);
    suites += fmt::format(
        "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" time=\"{}\">\n{}  </testsuite>\n",
        xml_escaped(report.scenario->name), cases.all, cases.failed, seconds(report.length_ns()), cases.text);
    all += cases.all;
    failed += cases.failed;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"nvmlab play\" tests=\"{}\" "
      "failures=\"{}\" errors=\"0\">\n{}</testsuites>\n",
      all, failed, suites);
}

}  // namespace nvmlab::tool
