// SPDX-License-Identifier: Apache-2.0
// nvmlgen extract-cuda: cuda.h of several releases into model/facts/cuda.json; a driver's exported symbols into
// model/facts/cuda-drivers.json, which comes first, as it holds names that no header declares.
#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "codegen/commands/command.hpp"
#include "codegen/cuda/facts.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/driver_releases.hpp"
#include "codegen/model/registry_file.hpp"
#include "codegen/model/version.hpp"
#include "codegen/parser/symbols.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

struct ExtractCudaOptions {
  std::string folder;
  std::string symbols;
  std::string driver;
};

fs::path cuda_drivers_path(const fs::path& root) { return root / "model" / "facts" / "cuda-drivers.json"; }

Result<int> extract_cuda_symbols(const ExtractCudaOptions& options, const fs::path& root) {
  if (options.driver.empty()) return fail("--symbols needs --driver, as in --driver 550.163.01");
  const auto symbols = exported_symbols(options.symbols, "cu");
  if (!symbols) return std::unexpected(symbols.error());
  Drivers drivers;
  std::error_code code;
  if (fs::exists(cuda_drivers_path(root), code)) {
    auto known = load_drivers(cuda_drivers_path(root));
    if (!known) return std::unexpected(known.error());
    drivers = std::move(*known);
  }
  if (auto added = set_driver(drivers, options.driver, *symbols); !added) return std::unexpected(added.error());
  if (auto written = write_file(cuda_drivers_path(root), to_text(drivers)); !written)
    return std::unexpected(written.error());
  fmt::print("driver {}: {} symbols\n", options.driver, symbols->size());
  return 0;
}

// Each symbol with the CUDA release of the oldest driver that exports it; 0 where the oldest of all does.
Result<std::map<std::string, std::uint32_t>> exported_since(const fs::path& root) {
  const auto drivers = load_drivers(cuda_drivers_path(root));
  if (!drivers) return std::unexpected(drivers.error());
  const auto registry = load_registry(registry_path(root));
  if (!registry) return std::unexpected(registry.error());
  const auto nvml_drivers = load_drivers(drivers_path(root));
  if (!nvml_drivers) return std::unexpected(nvml_drivers.error());
  const auto releases = load_driver_releases(root / "model" / "drivers.yaml", *registry, *nvml_drivers);
  if (!releases) return std::unexpected(releases.error());
  std::map<std::string, std::uint32_t> since;
  for (const auto& [symbol, versions] : drivers->symbols) {
    std::uint32_t release = 0;
    for (const DriverRelease& row : *releases) {
      if (versions.front() != drivers->versions.front() && compare_versions(row.from, versions.front()) <= 0)
        release = cuda::release_number(row.cuda);
    }
    since[symbol] = release;
  }
  return since;
}

Result<int> extract_cuda(const ExtractCudaOptions& options, const fs::path& root) {
  if (!options.symbols.empty()) return extract_cuda_symbols(options, root);
  const fs::path folder = options.folder.empty() ? header_cache(root) / "cuda" : fs::path(options.folder);
  std::vector<cuda::Header> headers;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    if (!is_version(entry.path().filename().string())) continue;
    auto header = cuda::read_header(entry.path());
    if (!header) return std::unexpected(header.error());
    fmt::print("{:<10} CUDA {}: {} functions, {} result codes, {} attributes\n", header->version, header->cuda,
               header->functions.size(), header->results.size(), header->attributes.size());
    headers.push_back(std::move(*header));
  }
  if (headers.empty())
    return fail(fmt::format("no cuda.h in {}; scripts/fetch-cuda-headers gets some", folder.string()));
  const auto exported = exported_since(root);
  if (!exported) return std::unexpected(exported.error());
  const auto facts = cuda::merge_headers(headers, *exported);
  if (!facts) return std::unexpected(facts.error());
  if (auto written = write_file(root / "model" / "facts" / "cuda.json", cuda::to_text(*facts)); !written)
    return std::unexpected(written.error());
  fmt::print("{} functions of {} headers in model/facts/cuda.json\n", facts->functions.size(), headers.size());
  return 0;
}

Run declare_extract_cuda(CLI::App& app) {
  const auto options = std::make_shared<ExtractCudaOptions>();
  app.add_option("FOLDER", options->folder,
                 "Has a folder for each release with cuda.h and cudaTypedefs.h; default: build/headers/cuda")
      ->type_name("DIR");
  app.add_option("--symbols", options->symbols, "A driver's libcuda.so, or a list with one exported name a line")
      ->type_name("FILE");
  app.add_option("--driver", options->driver, "The driver release of --symbols")->type_name("RELEASE");
  return [options](const fs::path& root) { return extract_cuda(*options, root); };
}

}  // namespace

extern const Command kExtractCuda{.name = "extract-cuda",
                                  .summary = "Read cuda.h or the symbols of a libcuda into model/facts/",
                                  .declare = declare_extract_cuda};

}  // namespace nvmlab::codegen
