// SPDX-License-Identifier: Apache-2.0
#include "command/play/player.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "command/play/show.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kMostLooks = 1000;  // while expectations may come true
constexpr std::uint64_t kLookNs = 100'000'000;

std::string why_refusal_differs(const ExpectedRefusal& expected, const CommandOutcome& outcome) {
  if (outcome.code == 0) return "the command succeeded, and was expected to fail";
  if (expected.code && outcome.code != static_cast<int>(*expected.code))
    return fmt::format("exit code {}; {} was expected", outcome.code, *expected.code);
  if (outcome.complaints.contains(expected.says)) return "";
  return fmt::format("it says something else; {} was expected", in_quotes(expected.says));
}

}  // namespace

Player::Player(const Scenario& scenario, const std::string& name, Machine& machine, const HeldSignals& signals,
               const PlayOptions& options)
    : scenario_(scenario),
      name_(name),
      machine_(machine),
      signals_(signals),
      options_(options),
      beginning_ns_(machine.clock().now_ns) {}

bool Player::stopped() const { return HeldSignals::one_waits() || !machine_.is_up(); }

Arrival Player::arrive_at(std::uint64_t due_ns) { return wait_until(machine_, signals_, beginning_ns_ + due_ns); }

void Player::run_commands(const ScenarioStep& step, StepReport& report) const {
  for (const ScenarioCommand& command : step.commands) {
    if (stopped()) return;
    report.commands.push_back({&command, run_command(command.words)});
    const CommandOutcome& outcome = report.commands.back().outcome;
    if (step.refusal) {
      if (const std::string why = why_refusal_differs(*step.refusal, outcome); !why.empty())
        report.failures.push_back(step.refusal->place.error(why).text());
    } else if (outcome.code != 0) {
      report.failures.push_back(
          command.place.error(fmt::format("exit code {}; the command failed", outcome.code)).text());
    }
  }
}

void Player::wait_for_expectations(const ScenarioStep& step, const StepChecks& checks, StepReport& report) {
  const std::uint64_t began_ns = now();
  const std::uint64_t look_ns = std::max(kLookNs, step.within_ns / kMostLooks);
  for (std::uint64_t waited_ns = 0;;) {
    report.checks = checks.check();
    if (all_held(report.checks) || waited_ns >= step.within_ns) return;
    waited_ns = std::min(waited_ns + look_ns, step.within_ns);
    if (arrive_at(std::max(began_ns + waited_ns, now())) != Arrival::there) return;
  }
}

void Player::say_not_there(const ScenarioStep& step, Arrival arrival, std::uint64_t due_ns, StepReport& report) const {
  std::string why;
  if (arrival == Arrival::too_late)
    why = fmt::format("it is {} already; the step begins at {}", duration_text(now()), duration_text(due_ns));
  if (arrival == Arrival::stands) why = "the clock of the machine is frozen; time does not pass";
  if (arrival == Arrival::beyond_the_end) why = "the clock of the machine cannot be advanced so far";
  if (!why.empty()) report.failures.push_back(step.place.error(why).text());
}

StepReport Player::play(const ScenarioStep& step) {
  StepReport report;
  report.step = &step;
  const std::uint64_t due_ns = step.at_ns.value_or(now() + step.after_ns);
  const Arrival arrival = arrive_at(due_ns);
  report.began_ns = report.ended_ns = now();
  if (arrival != Arrival::there) {
    say_not_there(step, arrival, due_ns, report);
    return report;
  }
  const StepChecks checks(step, machine_);
  run_commands(step, report);
  wait_for_expectations(step, checks, report);
  report.ended_ns = now();
  if (step.show && !options_.client.empty()) report.shown = show_client(name_, options_.client, *step.show, signals_);
  return report;
}

void Player::play(PlayReport& report) {
  for (const ScenarioStep& step : scenario_.steps) {
    StepReport played = play(step);
    if (stopped()) {
      report.failures.emplace_back(!machine_.is_up() ? "the machine was taken down" : "it was interrupted");
      return;
    }
    if (options_.on_step) options_.on_step(played);
    report.steps.push_back(std::move(played));
  }
}

}  // namespace nvmlab::tool
