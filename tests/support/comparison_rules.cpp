// SPDX-License-Identifier: Apache-2.0
#include "tests/support/comparison_rules.hpp"

#include <algorithm>
#include <array>

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
std::string_view reason_in(const std::array<Rule, N>& rules, std::string_view path) {
  const auto* found = std::ranges::find(rules, path, &Rule::path);
  return found == rules.end() ? std::string_view{} : found->reason;
}

}  // namespace

std::string_view live_by_nature_because(std::string_view path) { return reason_in(live_by_nature, path); }

std::string_view identity_because(std::string_view path) { return reason_in(identity_of_one_unit, path); }

}  // namespace nvmlab::test
