// SPDX-License-Identifier: Apache-2.0
// nvmlgen extract-cudart: the runtime's headers and exported names into model/facts/cudart.json.
#include <fmt/format.h>

#include <memory>
#include <system_error>

#include "codegen/commands/command.hpp"
#include "codegen/cudart/facts.hpp"
#include "codegen/io/files.hpp"
#include "codegen/model/version.hpp"

namespace nvmlab::codegen {
namespace {

namespace fs = std::filesystem;

Result<int> extract_cudart(const std::string& given, const fs::path& root) {
  const fs::path folder = given.empty() ? header_cache(root) / "cudart" : fs::path(given);
  cudart::Facts facts;
  std::error_code code;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, code)) {
    if (!is_version(entry.path().filename().string())) continue;
    if (auto added = cudart::add_release(entry.path(), facts); !added) return std::unexpected(added.error());
  }
  if (facts.releases.empty())
    return fail(
        fmt::format("no cuda_runtime_api.h in {}; scripts/fetch-cuda-headers --runtime gets some", folder.string()));
  if (auto written = write_file(root / "model" / "facts" / "cudart.json", cudart::to_text(facts)); !written)
    return std::unexpected(written.error());
  fmt::print("{} functions and {} codes of {} releases in model/facts/cudart.json\n", facts.functions.size(),
             facts.errors.size(), facts.releases.size());
  return 0;
}

Run declare_extract_cudart(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  app.add_option("FOLDER", *folder,
                 "Has a folder for each release with the runtime's headers and libcudart.so; default: "
                 "build/headers/cudart")
      ->type_name("DIR");
  return [folder](const fs::path& root) { return extract_cudart(*folder, root); };
}

}  // namespace

extern const Command kExtractCudart{.name = "extract-cudart",
                                    .summary = "Read the CUDA runtime's headers and names into model/facts/",
                                    .declare = declare_extract_cudart};

}  // namespace nvmlab::codegen
