// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "command/play/report.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::size_t kMargin = 18;  // of what stands below a step

std::string indented(std::string_view text, std::string_view mark) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("{:{}}{}{}\n", "", kMargin, mark, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// A clock that runs never shows a round number.
std::string time_text(std::uint64_t ns) {
  constexpr std::uint64_t kMillisecondNs = 1'000'000;
  return duration_text(ns < kMillisecondNs ? ns : ns - ns % kMillisecondNs);
}

std::string text_of_commands(const StepReport& report) {
  std::string text;
  const bool named = !report.step->about.empty();
  for (const CommandReport& each : report.commands) {
    if (named || report.commands.size() > 1) text += indented(each.command->text, "> ");
    text += indented(each.outcome.printed, "");
    text += indented(each.outcome.complaints, "");
  }
  return text;
}

}  // namespace

bool PlayReport::passed() const {
  return failures.empty() && std::ranges::all_of(steps, [](const StepReport& step) { return step.passed(); });
}

std::string title_of(const ScenarioStep& step) {
  if (!step.about.empty()) return step.about;
  if (step.commands.size() == 1) return step.commands.front().text;
  if (!step.commands.empty()) return fmt::format("{} commands", step.commands.size());
  if (step.show) return fmt::format("show: {}", *step.show);
  return step.within_ns > 0 ? fmt::format("expected within {}", duration_text(step.within_ns)) : "expected";
}

std::string text_of_head(const PlayReport& report) {
  const Scenario& scenario = *report.scenario;
  return fmt::format("{}: {}\n{}: {}\nmachine: {}\n\n", heading(scenario.name), scenario.about,
                     scenario.sources.size() == 1 ? "source" : "sources", fmt::join(scenario.sources, "; "),
                     report.machine);
}

std::string text_of_step(const StepReport& report) {
  std::string text = fmt::format("{:>8}  {:<6}  {}\n", time_text(report.began_ns), report.passed() ? "ok" : "FAILED",
                                 title_of(*report.step));
  text += text_of_commands(report);
  for (const CheckReport& check : report.checks)
    text += indented((check.held ? "" : check.place + ": ") + check.says, check.held ? "" : "! ");
  for (const std::string& failure : report.failures)
    text += indented(failure, "! ");
  if (report.ended_ns > report.began_ns) text += indented(fmt::format("at {}", time_text(report.ended_ns)), "");
  return text + report.shown;
}

std::string text_of_end(const PlayReport& report) {
  std::string text;
  for (const std::string& failure : report.failures)
    text += indented(failure, "! ");
  const auto failed = std::ranges::count_if(report.steps, [](const StepReport& step) { return !step.passed(); });
  const std::size_t all = report.scenario->steps.size();
  text += report.passed()
              ? fmt::format("\npassed: {} step{}", all, all == 1 ? "" : "s")
              : fmt::format("\nfailed: {} of {} steps{}", failed, all,
                            report.steps.size() < all ? fmt::format(", {} not played", all - report.steps.size()) : "");
  return text + fmt::format(", {} of machine time\n", time_text(report.length_ns()));
}

}  // namespace nvmlab::tool
