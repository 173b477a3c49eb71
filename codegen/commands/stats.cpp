// SPDX-License-Identifier: Apache-2.0
// nvmlgen stats: numbers about one release, or one line for each.
#include "codegen/report/stats.hpp"

#include <fmt/format.h>

#include <memory>

#include "codegen/commands/command.hpp"
#include "codegen/model/registry_file.hpp"

namespace nvmlab::codegen {
namespace {

Result<int> run_stats(const std::string& version, const std::filesystem::path& root) {
  const auto registry = load_registry(registry_path(root));
  if (!registry) return std::unexpected(registry.error());
  if (version.empty()) {
    fmt::print("{}", stats_of_all(*registry));
    return 0;
  }
  const auto drivers = load_drivers(drivers_path(root));
  if (!drivers) return std::unexpected(drivers.error());
  const auto release = view(*registry, version);
  if (!release) return std::unexpected(release.error());
  fmt::print("{}", stats_of(*release, *drivers));
  return 0;
}

Run declare_stats(CLI::App& app) {
  const auto version = std::make_shared<std::string>();
  app.add_option("RELEASE", *version, "In full (12.9.40) or in part (12.9); default: one line for each known release");
  return [version](const std::filesystem::path& root) { return run_stats(*version, root); };
}

}  // namespace

extern const Command kStats{
    .name = "stats", .summary = "Count what a release holds, or all releases", .declare = declare_stats};

}  // namespace nvmlab::codegen
