// SPDX-License-Identifier: Apache-2.0
#include "codegen/model/inputs.hpp"

#include <set>
#include <utility>

#include "codegen/model/presence.hpp"
#include "codegen/model/registry_file.hpp"

namespace nvmlab::codegen {

Result<Inputs> load_inputs(const std::filesystem::path& root) {
  auto registry = load_registry(root / "model" / "facts" / "nvml.json");
  if (!registry) return std::unexpected(registry.error());
  auto drivers = load_drivers(root / "model" / "facts" / "drivers.json");
  if (!drivers) return std::unexpected(drivers.error());
  auto newest = view(*registry);
  if (!newest) return std::unexpected(newest.error());
  auto releases = load_driver_releases(root / "model" / "drivers.yaml", *registry, *drivers);
  if (!releases) return std::unexpected(releases.error());
  Inputs inputs{root, std::move(*registry), std::move(*drivers), std::move(*newest), std::move(*releases)};
  inputs.presence = presence_of_all(inputs);
  return inputs;
}

std::vector<std::string> all_function_names(const Registry& registry, const Drivers& drivers) {
  std::set<std::string> names;
  for (const auto& [name, history] : registry.functions)
    names.insert(name);
  for (const auto& [symbol, versions] : drivers.symbols)
    names.insert(symbol);
  return {names.begin(), names.end()};
}

}  // namespace nvmlab::codegen
