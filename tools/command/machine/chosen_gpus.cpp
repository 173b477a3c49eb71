// SPDX-License-Identifier: Apache-2.0
#include "command/machine/chosen_gpus.hpp"

#include <fmt/format.h>

#include "control/machines.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {

std::expected<ChosenGpus, std::string> choose_gpus(const std::string& machine, const std::string& gpus) {
  const std::string name = control::chosen_machine(machine);
  auto opened = Machine::open(name);
  if (!opened) return std::unexpected(opened.error());
  auto chosen = control::select_gpus(*opened, gpus);
  if (!chosen) return std::unexpected(chosen.error());
  if (chosen->empty()) return std::unexpected(fmt::format("machine '{}' has no GPU", name));
  return ChosenGpus{std::move(*opened), std::move(*chosen)};
}

}  // namespace nvmlab::tool
