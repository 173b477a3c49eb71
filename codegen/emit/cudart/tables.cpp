// SPDX-License-Identifier: Apache-2.0
// What code and linker know of the exported functions: their names, why one is refused, the driver's functions that
// some are handed on to, and the symbol version of each library, which is its soname as with NVIDIA's.
#include <fmt/format.h>

#include <set>

#include "codegen/emit/cudart/inputs.hpp"
#include "codegen/model/export_table.hpp"

namespace nvmlab::codegen::cudart {
namespace {

std::string functions(const CudartInputs& inputs) {
  std::string text =
      std::string(kGeneratedFrom) +
      "#pragma once\n\n#include <cstdint>\n\nnamespace nvmlab::cudart {\n\n// All exported functions, by name.\n"
      "enum class Function : std::uint16_t {\n";
  for (const auto& [symbol, forms] : inputs.facts.functions)
    text += fmt::format("  {},\n", symbol);
  return text + fmt::format(
                    "}};\ninline constexpr std::uint16_t kFunctionCount = {};\n\n"
                    "struct FunctionRow {{\n  const char* name;\n  const char* refused;  // why; null: it works\n"
                    "}};\nextern const FunctionRow kFunctions[kFunctionCount];\n\n}}  // namespace nvmlab::cudart\n",
                    inputs.facts.functions.size());
}

std::string names(const CudartInputs& inputs) {
  std::string text = std::string(kGeneratedFrom) +
                     "#include \"drivers/cudart/generated/functions.hpp\"\n\nnamespace nvmlab::cudart {\n\n"
                     "const FunctionRow kFunctions[kFunctionCount] = {\n";
  for (const auto& [symbol, forms] : inputs.facts.functions) {
    const Verdict& verdict = inputs.meaning.verdicts.at(symbol);
    text += fmt::format("    {{\"{}\", {}}},\n", symbol,
                        verdict.kind == Kind::refuse ? fmt::format("\"{}\"", verdict.why) : "nullptr");
  }
  return text + "};\n\n}  // namespace nvmlab::cudart\n";
}

std::string forwards(const CudartInputs& inputs) {
  std::set<std::string> targets;
  for (const auto& [symbol, verdict] : inputs.meaning.verdicts) {
    for (const auto& [major, target] : verdict.targets)
      targets.insert(target);
  }
  std::string text = std::string(kGeneratedFrom) +
                     "#pragma once\n\n// Functions of the driver that take what a function of the runtime takes.\n"
                     "#define NVMLAB_FORWARDS(row) \\\n";
  for (const std::string& target : targets)
    text += fmt::format("  row({}) \\\n", target);
  return text + "\n";
}

std::string export_table(const CudartInputs& inputs) {
  std::vector<std::string> libraries;
  std::vector<std::uint32_t> majors;
  for (const auto& [major, release] : inputs.facts.releases) {
    libraries.push_back(std::to_string(major));
    majors.push_back(major);
  }
  ExportTable table("model/facts/cudart.json", std::move(libraries));
  for (const auto& [symbol, forms] : inputs.facts.functions)
    table.add(symbol, [&](std::size_t at) { return forms.contains(majors[at]); });
  return table.text();
}

}  // namespace

void emit_tables(const CudartInputs& inputs, Output& output) {
  const std::string folder = "simulator/drivers/cudart/generated/";
  output.add(folder + "functions.hpp", functions(inputs));
  output.add(folder + "names.cpp", names(inputs));
  output.add(folder + "forwards.hpp", forwards(inputs));
  output.add(folder + "exports.tsv", export_table(inputs));
}

void emit_errors(const CudartInputs& inputs, Output& output) {
  std::string codes = std::string(kGeneratedFrom) + "#pragma once\n\n// NOLINTBEGIN\nenum cudaError : int {\n";
  std::string rows = std::string(kGeneratedFrom) +
                     "#pragma once\n\nnamespace nvmlab::cudart {\n\n"
                     "struct ErrorRow {\n  int code;\n  const char* name;\n  const char* text;\n};\n\n"
                     "inline constexpr ErrorRow kErrors[] = {\n";
  for (const ErrorText& each : inputs.meaning.errors) {
    codes += fmt::format("  {} = {},\n", each.name, each.value);
    rows += fmt::format("    {{{}, \"{}\", \"{}\"}},\n", each.value, each.name, each.text);
  }
  output.add("simulator/drivers/cudart/generated/errors.hpp", codes + "};\n// NOLINTEND\n");
  output.add("simulator/drivers/cudart/generated/error_texts.hpp", rows + "};\n\n}  // namespace nvmlab::cudart\n");
}

}  // namespace nvmlab::codegen::cudart
