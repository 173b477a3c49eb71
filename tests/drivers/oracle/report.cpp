// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <fmt/format.h>

#include "tests/drivers/oracle/agreement.hpp"
#include "tests/drivers/oracle/situations.hpp"
#include "tests/support/files.hpp"

namespace nvmlab::oracle {
namespace {

// 100.00 only where nothing is missing.
std::string percent(const Agreement& agreement) {
  if (agreement.defined == 0) return "-";
  if (agreement.agreed == agreement.defined) return "100 %";
  return fmt::format("{:.2f} %", std::min(99.99, 100.0 * agreement.agreed / agreement.defined));
}

std::string major(const std::string& version) { return version.substr(0, version.find('.')); }

std::string head() {
  return R"(<!-- Written by `no-driver-oracle report` from tests/drivers/oracle/ and this build's answers. -->
# Without a driver: agreement with real libraries

`nvmlab run --no-driver` (or `NVMLAB_INIT_ERROR=9`) makes the simulated library answer as NVIDIA's does on a machine without a driver. What that
is was measured: the real `libnvidia-ml.so.1` of ten driver branches was loaded without privileges on a machine without a GPU, and every function
that it exports was called in every situation below. `tests/drivers/oracle/no_driver.tsv` and `error_strings.tsv` keep the answers; ctest compares ours
with them, and asks the real libraries again where they have been fetched (`scripts/fetch-clients libnvidia-ml-550`).

Ours is the library that exports what that driver does (`nvmlab run --driver`); what only one of the two exports is a difference too. An answer
is the return code and which bytes of the caller's memory were written. Where a real library ends the process, nothing is defined
and nothing is compared.

)";
}

std::string lifecycle_table() {
  std::string text = "| called before | as |\n|---|---|\n";
  for (const auto& each : lifecycles()) {
    std::string calls;
    for (const auto& step : each.steps)
      calls +=
          fmt::format("{}`{}({})`", calls.empty() ? "" : ", ", step.function,
                      std::string{step.function} == "nvmlInitWithFlags" ? fmt::format("{:#x}", step.argument) : "");
    text += fmt::format("| {} | `{}` |\n", calls.empty() ? "nothing" : calls, each.name);
  }
  return text + R"(
Each with good arguments; zeros and all-ones for every argument; null for each pointer in turn; a length of zero; handles of somebody else;
and for texts a buffer that just fits and one that is a byte short.

)";
}

std::string undefined_list(const std::map<std::string, std::set<std::string>>& undefined) {
  std::string text;
  for (const auto& [function, kinds] : undefined)
    text += fmt::format("- `{}` with arguments `{}`\n", function, fmt::join(kinds, "`, `"));
  return text + "\nEvery other function sees that it is not initialised before it looks at an argument.\n";
}

}  // namespace

std::filesystem::path report_file() { return test::source_folder() / "docs" / "reference" / "no-driver.md"; }

std::string report(const Table& table, const std::map<std::string, Observations>& ours) {
  std::string drivers = "| driver | functions | calls | defined | agree | agreement |\n|---|---|---|---|---|---|\n";
  std::string exceptions;
  std::map<std::string, std::set<std::string>> undefined;
  struct OfFunction {
    std::string first;
    std::string last;
    Agreement sum;
  };
  std::map<std::string, OfFunction> functions;
  for (const auto& [version, facts] : table) {
    const auto found = ours.find(version);
    const auto agreements = compare(facts, found == ours.end() ? Observations{} : found->second);
    const auto sum = total(agreements);
    drivers += fmt::format("| {} | {} | {} | {} | {} | {} |\n", version, agreements.size(), sum.calls, sum.defined,
                           sum.agreed, percent(sum));
    for (const auto& difference : sum.differences)
      exceptions += fmt::format("- {}: {}\n", version, difference);
    if (!facts.not_called.empty()) {
      exceptions += fmt::format(
          "- {}: `{}` are exported and were not called; they are no functions of NVML "
          "([decision 0005](../decisions/0005-exports.md))\n",
          version, fmt::join(facts.not_called, "`, `"));
    }
    for (const Row& row : facts.rows) {
      if (row.answer.code == "crash") undefined[row.function].insert(row.situation.arguments);
    }
    for (const auto& [name, agreement] : agreements) {
      auto& function = functions[name];
      if (function.first.empty()) function.first = major(version);
      function.last = major(version);
      function.sum.calls += agreement.calls;
      function.sum.defined += agreement.defined;
      function.sum.agreed += agreement.agreed;
    }
  }
  std::string text = head() + "## By driver\n\n" + drivers + "\n## Exceptions\n\n" +
                     (exceptions.empty() ? "None.\n" : exceptions) + "\n## Where a real library ends the process\n\n" +
                     undefined_list(undefined) + "\n## Situations\n\n" + lifecycle_table() +
                     "## By function\n\n| function | drivers | calls | defined | agreement |\n|---|---|---|---|---|\n";
  for (const auto& [name, each] : functions) {
    const auto presence = each.first == each.last ? each.first : each.first + " to " + each.last;
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", name, presence, each.sum.calls, each.sum.defined,
                        percent(each.sum));
  }
  return text;
}

}  // namespace nvmlab::oracle
