// SPDX-License-Identifier: Apache-2.0
//
// A comparison as text for a person: percentages first, then every difference, then what was not compared.
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "tests/support/comparison.hpp"

namespace nvmlab::test {
namespace {

std::string who(int gpu) { return gpu == capture::node ? "node" : fmt::format("gpu {}", gpu); }

// "gpu 0-7" for a set of GPUs.
std::string who(const std::set<int>& gpus) {
  if (gpus.size() == 1) return who(*gpus.begin());
  const int first = *gpus.begin();
  const int last = *gpus.rbegin();
  if (static_cast<std::size_t>(last - first) + 1 == gpus.size()) return fmt::format("gpu {}-{}", first, last);
  std::string list;
  for (const int gpu : gpus)
    list += fmt::format("{}{}", list.empty() ? "" : ",", gpu);
  return "gpu " + list;
}

// Same leaf, same values: one line, whichever GPUs show it.
void list_differences(std::string& out, const std::vector<Difference>& differences, bool with_expected,
                      bool with_actual) {
  std::map<std::pair<std::string, std::pair<std::string, std::string>>, std::set<int>> grouped;
  std::vector<decltype(grouped)::key_type> order;
  for (const auto& d : differences) {
    const auto key = std::pair{d.path, std::pair{d.expected, d.actual}};
    auto& gpus = grouped[key];
    if (gpus.empty()) order.push_back(key);
    gpus.insert(d.gpu);
  }
  for (const auto& key : order) {
    const auto& [path, values] = key;
    out += fmt::format("  {:<9} {}", who(grouped[key]), path);
    if (with_expected) out += fmt::format("  {}'{}'", with_actual ? "expected " : "", values.first);
    if (with_actual) out += fmt::format("  {}'{}'", with_expected ? "actual " : "", values.second);
    out += '\n';
  }
}

}  // namespace

std::string report(const Comparison& comparison, std::string_view expected_name, std::string_view actual_name) {
  auto out = fmt::format("expected: {}\nactual:   {}\n", expected_name, actual_name);
  out += fmt::format("agreement: {:.2f} % ({} of {} leaves that both print)\n", comparison.percent(),
                     comparison.total.agreeing, comparison.total.compared());
  for (const auto* list : {"supported_clocks", "Supported Clocks"}) {
    if (!comparison.sections.contains(list)) continue;
    const auto rest = comparison.without(list);
    out += fmt::format("without {}: {:.2f} % ({} of {})\n", list, rest.percent(), rest.agreeing, rest.compared());
  }
  out += "\nSections with differences:\n";
  for (const auto& [name, tally] : comparison.sections) {
    if (tally.different > 0) out += fmt::format("  {:<40} {} of {} agree\n", name, tally.agreeing, tally.compared());
  }
  out += fmt::format("\nDifferences ({}):\n", comparison.different.size());
  list_differences(out, comparison.different, true, true);
  out += fmt::format("\nOnly in the expectation ({}):\n", comparison.only_expected.size());
  list_differences(out, comparison.only_expected, true, false);
  out += fmt::format("\nOnly in the actual output ({}):\n", comparison.only_actual.size());
  list_differences(out, comparison.only_actual, false, true);
  out += fmt::format("\nNot compared ({}):\n", comparison.uncompared.size());
  std::map<std::pair<std::string, std::string_view>, std::set<int>> grouped;
  for (const auto& leaf : comparison.uncompared)
    grouped[{leaf.path, leaf.reason}].insert(leaf.gpu);
  for (const auto& [leaf, gpus] : grouped)
    out += fmt::format("  {:<9} {}: {}\n", who(gpus), leaf.first, leaf.second);
  return out;
}

}  // namespace nvmlab::test
