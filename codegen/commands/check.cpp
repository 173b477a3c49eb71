// SPDX-License-Identifier: Apache-2.0
// nvmlgen check: is the committed generated code what the model gives? Exit code 1 and a list if not.
#include <fmt/format.h>

#include "codegen/commands/command.hpp"
#include "codegen/outputs/emitters.hpp"

namespace nvmlab::codegen {
namespace {

Result<int> check(const std::filesystem::path& root) {
  const auto inputs = load_inputs(root);
  if (!inputs) return std::unexpected(inputs.error());
  const auto files = emit_all(*inputs);
  if (!files) return std::unexpected(files.error());
  const auto differences = compare(*files, root);
  if (!differences) return std::unexpected(differences.error());
  if (differences->empty()) {
    fmt::print("{} generated files are as the model gives them, and there is no other\n", files->size());
    return 0;
  }
  for (const Difference& difference : *differences) {
    fmt::print("{:<9} {}\n", name_of(difference.kind), difference.path);
    if (!difference.detail.empty()) fmt::print("  {}", difference.detail);
  }
  fmt::print("{} files differ; `nvmlgen write` makes them right, if the change belongs into the model\n",
             differences->size());
  return 1;
}

Run declare_check(CLI::App&) { return check; }

}  // namespace

extern const Command kCheck{
    .name = "check", .summary = "Compare the generated code with the model, both ways", .declare = declare_check};

}  // namespace nvmlab::codegen
