// SPDX-License-Identifier: Apache-2.0
#include "command/machine/chosen_gpus.hpp"

#include <fmt/format.h>

#include "command/cli/shared_options.hpp"
#include "control/machines.hpp"
#include "control/selection.hpp"

namespace nvmlab::tool {

void GpuListOptions::declare(CommandLine& line) {
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  add_json(line, json);
}

int GpuListOptions::print_rows(const Json& rows, const Table& table, std::string_view none) const {
  if (json) {
    print(std::string_view(text_of(rows)));
  } else if (table.empty()) {
    print("{}\n", none);
  } else {
    print(std::string_view(table.text()));
  }
  return kGood;
}

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
