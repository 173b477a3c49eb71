// SPDX-License-Identifier: Apache-2.0
// nvmlgen diff: what a release of NVML added, removed and changed, in words.
#include "codegen/report/diff.hpp"

#include <fmt/format.h>

#include <memory>

#include "codegen/commands/command.hpp"
#include "codegen/model/registry_file.hpp"

namespace nvmlab::codegen {
namespace {

struct Options {
  std::string before;
  std::string after;
};

Result<int> run_diff(const Options& options, const std::filesystem::path& root) {
  const auto registry = load_registry(registry_path(root));
  if (!registry) return std::unexpected(registry.error());
  const auto before = view(*registry, options.before);
  if (!before) return std::unexpected(before.error());
  const auto after = view(*registry, options.after);
  if (!after) return std::unexpected(after.error());
  fmt::print("NVML {} ({} functions) to {} ({} functions)\n", before->version, before->functions.size(), after->version,
             after->functions.size());
  const std::string text = to_text(diff(*before, *after));
  fmt::print("{}", text.empty() ? "\nNo difference.\n" : text);
  return 0;
}

Run declare_diff(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("A", options->before, "The older release, in full (12.9.40) or in part (12.9)")->required();
  app.add_option("B", options->after, "The newer release")->required();
  return [options](const std::filesystem::path& root) { return run_diff(*options, root); };
}

}  // namespace

extern const Command kDiff{
    .name = "diff", .summary = "Say what changed from one release to another", .declare = declare_diff};

}  // namespace nvmlab::codegen
