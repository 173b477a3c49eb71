// SPDX-License-Identifier: Apache-2.0
#include "command/machine/chosen_gpus.hpp"

#include <fmt/format.h>

#include "command/machine/selection.hpp"
#include "command/machine/snapshot.hpp"

namespace nvmlab::tool {

std::expected<ChosenGpus, std::string> choose_gpus(const std::string& machine, const std::string& gpus) {
  const std::string name = chosen_machine(machine);
  auto opened = Machine::open(name);
  if (!opened) return std::unexpected(opened.error());
  auto chosen = select_gpus(gpus, selectable_gpus(opened->store()));
  if (!chosen) return std::unexpected(chosen.error());
  if (chosen->empty()) return std::unexpected(fmt::format("machine '{}' has no GPU", name));
  return ChosenGpus{std::move(*opened), std::move(*chosen)};
}

}  // namespace nvmlab::tool
