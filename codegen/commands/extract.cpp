// SPDX-License-Identifier: Apache-2.0
// nvmlgen extract: headers into model/facts/nvml.json, a driver's exported symbols into model/facts/drivers.json.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <system_error>

#include "codegen/commands/command.hpp"
#include "codegen/commands/headers.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/drivers.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/model/version.hpp"
#include "codegen/parser/header_parser.hpp"
#include "codegen/parser/symbols.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

struct ExtractOptions {
  std::string header;
  std::string version;
  std::string symbols;
  std::string driver;
  bool rebuild = false;
};

Result<std::vector<Release>> known_releases(const fs::path& registry_file, bool rebuild) {
  std::error_code code;
  if (rebuild || !fs::exists(registry_file, code)) return std::vector<Release>{};
  const auto registry = load_registry(registry_file);
  if (!registry) return std::unexpected(registry.error());
  return all_views(*registry);
}

Result<int> extract_headers(const ExtractOptions& options, const fs::path& root) {
  const auto sources = headers_of(options.header, options.version, header_cache(root));
  if (!sources) return std::unexpected(sources.error());

  auto releases = known_releases(registry_path(root), options.rebuild);
  if (!releases) return std::unexpected(releases.error());
  for (const HeaderSource& source : *sources) {
    auto release = extract_file(source.header, source.version);
    if (!release) return std::unexpected(release.error());
    const Counts counts = count(*release);
    fmt::print("{:<10} {} functions, {} structs, {} enumerators, {} macros\n", release->version, counts.functions,
               counts.structs, counts.enumerators, counts.macros);
    std::erase_if(*releases,
                  [&](const Release& known) { return compare_versions(known.version, release->version) == 0; });
    releases->push_back(std::move(*release));
  }
  const auto registry = merge(std::move(*releases));
  if (!registry) return std::unexpected(registry.error());
  if (auto written = write_file(registry_path(root), to_text(*registry)); !written)
    return std::unexpected(written.error());
  fmt::print("{} releases, {} to {}, in {}\n", registry->releases.size(), registry->releases.front().version,
             registry->newest(), registry_path(root).string());
  return 0;
}

Result<int> extract_symbols(const ExtractOptions& options, const fs::path& root) {
  if (options.driver.empty()) return fail("--symbols needs --driver, as in --driver 555.58.02");
  const auto symbols = exported_symbols(options.symbols);
  if (!symbols) return std::unexpected(symbols.error());
  Drivers drivers;
  std::error_code code;
  if (fs::exists(drivers_path(root), code)) {
    auto known = load_drivers(drivers_path(root));
    if (!known) return std::unexpected(known.error());
    drivers = std::move(*known);
  }
  if (auto added = set_driver(drivers, options.driver, *symbols); !added) return std::unexpected(added.error());
  if (auto written = write_file(drivers_path(root), to_text(drivers)); !written)
    return std::unexpected(written.error());
  fmt::print("driver {}: {} symbols; {} drivers in {}\n", options.driver, symbols->size(), drivers.versions.size(),
             drivers_path(root).string());
  return 0;
}

Run declare_extract(CLI::App& app) {
  const auto options = std::make_shared<ExtractOptions>();
  app.add_option("HEADER", options->header, "An nvml.h; default: every header in the cache, build/headers/*/nvml.h")
      ->type_name("FILE");
  app.add_option("--version", options->version, "The header's release, where neither it nor its folder says so")
      ->type_name("RELEASE");
  app.add_flag("--rebuild", options->rebuild,
               "Forget the releases that the registry knows; by default they are kept and added to");
  app.add_option("--symbols", options->symbols, "A driver's libnvidia-ml.so, or a list with one exported name a line")
      ->type_name("FILE");
  app.add_option("--driver", options->driver, "The driver release of --symbols")->type_name("RELEASE");
  return [options](const fs::path& root) {
    return options->symbols.empty() ? extract_headers(*options, root) : extract_symbols(*options, root);
  };
}

}  // namespace

extern const Command kExtract{
    .name = "extract", .summary = "Read headers or a driver's symbols into model/facts/", .declare = declare_extract};

}  // namespace nvmlab::codegen
