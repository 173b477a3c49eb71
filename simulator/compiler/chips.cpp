// SPDX-License-Identifier: Apache-2.0
#include "compiler/chips.hpp"

#include <algorithm>
#include <iterator>

#include "compiler/generated/chips.hpp"

namespace nvmlab::compiler {

const Chip* find_chip(std::uint64_t pci_device_id) {
  const auto id = pci_device_id >> 16;
  const auto* found =
      std::ranges::find_if(kChips, [&](const Chip& chip) { return id >= chip.first_id && id <= chip.last_id; });
  return found == std::end(kChips) ? nullptr : found;
}

const Architecture* find_architecture(std::string_view name) {
  const auto* found = std::ranges::find(kArchitectures, name, &Architecture::name);
  return found == std::end(kArchitectures) ? nullptr : found;
}

const Architecture* architecture_of(std::uint64_t compute_capability) {
  const Architecture* newest = nullptr;
  for (const Architecture& architecture : kArchitectures) {
    if (architecture.compute_capability <= compute_capability) newest = &architecture;
  }
  return newest;
}

}  // namespace nvmlab::compiler
