// SPDX-License-Identifier: Apache-2.0
// nvmlgen write: the generated code, from the model as it stands.
#include <fmt/format.h>

#include "codegen/commands/command.hpp"
#include "codegen/outputs/emitters.hpp"

namespace nvmlab::codegen {
namespace {

Result<int> write(const std::filesystem::path& root) {
  const auto inputs = load_inputs(root);
  if (!inputs) return std::unexpected(inputs.error());
  const auto files = emit_all(*inputs);
  if (!files) return std::unexpected(files.error());
  const auto written = write_all(*files, root);
  if (!written) return std::unexpected(written.error());
  for (const std::string& path : written->changed)
    fmt::print("wrote   {}\n", path);
  for (const std::string& path : written->deleted)
    fmt::print("deleted {}\n", path);
  fmt::print("{} written, {} deleted, {} unchanged\n", written->changed.size(), written->deleted.size(),
             written->unchanged);
  return 0;
}

Run declare_write(CLI::App&) { return write; }

}  // namespace

extern const Command kWrite{
    .name = "write", .summary = "Write the generated code from the model", .declare = declare_write};

}  // namespace nvmlab::codegen
