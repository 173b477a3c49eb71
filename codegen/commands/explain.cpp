// SPDX-License-Identifier: Apache-2.0
// nvmlgen explain: everything that the facts know about a name, and where a function stands in this repository.
#include "codegen/report/explain.hpp"

#include <fmt/format.h>

#include <memory>

#include "codegen/commands/command.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/report/whereabouts.hpp"

namespace nvmlab::codegen {
namespace {

Result<int> run_explain(const std::vector<std::string>& names, const std::filesystem::path& root) {
  const auto registry = load_registry(registry_path(root));
  if (!registry) return std::unexpected(registry.error());
  const auto drivers = load_drivers(drivers_path(root));
  if (!drivers) return std::unexpected(drivers.error());
  for (const std::string& name : names) {
    const auto text = explain(*registry, *drivers, name);
    if (!text) return std::unexpected(text.error());
    const auto places = whereabouts(root, name);
    if (!places) return std::unexpected(places.error());
    fmt::print("{}{}", *text, *places);
  }
  return 0;
}

Run declare_explain(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  app.add_option("NAME", *names, "A function, type, enumerator or macro, as NVIDIA's header spells it")->required();
  return [names](const std::filesystem::path& root) { return run_explain(*names, root); };
}

}  // namespace

extern const Command kExplain{
    .name = "explain", .summary = "Tell everything that is known about a name", .declare = declare_explain};

}  // namespace nvmlab::codegen
