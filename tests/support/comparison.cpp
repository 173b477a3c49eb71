// SPDX-License-Identifier: Apache-2.0
#include "support/comparison.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace nvmlab::test {
namespace {

struct Rule {
  std::string_view path;  // the whole path, in XML or in text
  std::string_view reason;
};

// Reviewed: differs in every run, whatever it runs on.
constexpr std::array live_by_nature{
    Rule{"timestamp", "the moment of the run"},
    Rule{"Timestamp", "the moment of the run"},
};

// Reviewed: tells one unit of a board from another, or its place in the machine; no capture can say it of a unit that
// it does not show.
constexpr std::array identity_of_one_unit{
    Rule{"@id", "PCI place of one unit"},
    Rule{"serial", "serial number of one unit"},
    Rule{"uuid", "identifier of one unit"},
    Rule{"pdi", "identifier of one unit"},
    Rule{"minor_number", "number of one unit in its machine"},
    Rule{"board_id", "derived from the PCI place of one unit"},
    Rule{"gpu_module_id", "place of one unit in its machine"},
    Rule{"platformInfo/module_id", "place of one unit in its machine"},
    Rule{"pci/pci_bus", "PCI place of one unit"},
    Rule{"pci/pci_device", "PCI place of one unit"},
    Rule{"pci/pci_domain", "PCI place of one unit"},
    Rule{"pci/pci_bus_id", "PCI place of one unit"},
};

template <std::size_t N>
const Rule* find_rule(const std::array<Rule, N>& rules, std::string_view path) {
  const auto* found = std::ranges::find(rules, path, &Rule::path);
  return found == rules.end() ? nullptr : found;
}

using Key = std::pair<int, std::string_view>;

std::map<Key, const capture::Leaf*> by_key(std::span<const capture::Leaf> leaves) {
  std::map<Key, const capture::Leaf*> result;
  for (const auto& leaf : leaves)
    result.try_emplace({leaf.gpu, leaf.path}, &leaf);
  return result;
}

std::string section_of(const capture::Leaf& leaf) {
  return leaf.gpu == capture::node ? std::string{"(node)"} : leaf.path.substr(0, leaf.path.find_first_of("/["));
}

int last_gpu(std::span<const capture::Leaf> leaves) {
  int last = capture::node;
  for (const auto& leaf : leaves)
    last = std::max(last, leaf.gpu);
  return last;
}

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

double Tally::percent() const {
  return compared() == 0 ? 0.0 : 100.0 * static_cast<double>(agreeing) / static_cast<double>(compared());
}

Tally Comparison::without(std::string_view section) const {
  const auto found = sections.find(section);
  if (found == sections.end()) return total;
  return {total.agreeing - found->second.agreeing, total.different - found->second.different};
}

Comparison compare(std::span<const capture::Leaf> expected, std::span<const capture::Leaf> actual, Boards boards) {
  Comparison result;
  const auto wanted = by_key(expected);
  const auto printed = by_key(actual);
  const int captured_last = last_gpu(expected);
  const int printed_last = last_gpu(actual);

  // The captured GPU that a printed one is held against, or nothing to hold it against.
  const auto model_of = [&](int gpu) { return gpu <= captured_last ? gpu : 0; };
  const auto is_stand_in = [&](int gpu) { return gpu > captured_last; };

  for (const auto& leaf : actual) {
    if (is_stand_in(leaf.gpu) && (boards == Boards::as_captured || captured_last < 0)) continue;
    if (const auto* rule = find_rule(live_by_nature, leaf.path)) {
      result.uncompared.push_back({leaf.gpu, leaf.path, rule->reason});
      continue;
    }
    if (is_stand_in(leaf.gpu)) {
      if (const auto* rule = find_rule(identity_of_one_unit, leaf.path)) {
        result.uncompared.push_back({leaf.gpu, leaf.path, rule->reason});
        continue;
      }
    }
    const auto found = wanted.find({model_of(leaf.gpu), leaf.path});
    if (found == wanted.end()) {
      result.only_actual.push_back({leaf.gpu, leaf.path, {}, leaf.value});
      continue;
    }
    auto& section = result.sections[section_of(leaf)];
    if (found->second->value == leaf.value) {
      ++result.total.agreeing;
      ++section.agreeing;
    } else {
      ++result.total.different;
      ++section.different;
      result.different.push_back({leaf.gpu, leaf.path, found->second->value, leaf.value});
    }
  }
  for (const auto& leaf : expected) {
    if (!printed.contains({leaf.gpu, leaf.path})) result.only_expected.push_back({leaf.gpu, leaf.path, leaf.value, {}});
    if (leaf.gpu != 0 || boards == Boards::as_captured) continue;
    for (int gpu = captured_last + 1; gpu <= printed_last; ++gpu) {
      if (!printed.contains({gpu, leaf.path})) result.only_expected.push_back({gpu, leaf.path, leaf.value, {}});
    }
  }
  return result;
}

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
