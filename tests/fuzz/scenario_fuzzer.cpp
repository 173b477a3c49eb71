// SPDX-License-Identifier: Apache-2.0
//
// Bytes as a scenario: the reader says what is wrong, each with its place, or has a scenario whose times can be played.
#include <algorithm>
#include <string_view>

#include "command/play/reader.hpp"
#include "tests/fuzz/compiled.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nvmlab;
  const auto scenario = tool::read_scenario({reinterpret_cast<const char*>(data), size}, "scenario.yaml");
  if (!scenario) {
    fuzz::check_refusal(scenario.error());
    if (std::ranges::any_of(scenario.error(), [](const LocatedError& problem) { return problem.file.empty(); }))
      fuzz::wrong("a problem without its place");
    return 0;
  }
  if (scenario->steps.empty()) fuzz::wrong("a scenario without a step");
  std::uint64_t at_ns = 0;
  for (const tool::ScenarioStep& step : scenario->steps) {
    if (step.at_ns && *step.at_ns < at_ns) fuzz::wrong("time goes backwards");
    at_ns = step.at_ns.value_or(at_ns + step.after_ns);
  }
  if (at_ns > kLastTime) fuzz::wrong("time goes beyond its end");
  return 0;
}
