// SPDX-License-Identifier: Apache-2.0
// The exported functions of libcuda: what is called is one line that names a hook, what is not simulated one line that
// refuses. And the table that cuGetProcAddress looks names up in.
#include <fmt/format.h>

#include <algorithm>

#include "codegen/emit/cuda/inputs.hpp"

namespace nvmlab::codegen::cuda {
namespace {

// The function that a form for the per-thread stream stands for.
std::string hook_of(const std::string& symbol) {
  const SymbolParts parts = parts_of(symbol);
  return symbol.substr(0, symbol.size() - parts.stream.size());
}

std::string caller_of(const std::string& symbol, const Verdict& verdict) {
  if (verdict.before_init) return "answer";
  return hook_of(symbol) == symbol ? "call" : "call_per_thread";
}

std::string parameters_of(const Function& function) {
  std::string text;
  for (const Parameter& each : function.parameters)
    text +=
        fmt::format("{}{}{}{}", text.empty() ? "" : ", ", each.type, each.type.ends_with('*') ? "" : " ", each.name);
  return text;
}

std::string arguments_of(const Function& function) {
  std::string text;
  for (const Parameter& each : function.parameters)
    text += fmt::format("{}{}", text.empty() ? "" : ", ", each.name);
  return text;
}

std::string enumeration(const CudaInputs& inputs) {
  std::string text =
      std::string(kGeneratedFrom) +
      "#pragma once\n\n#include <cstdint>\n\nnamespace nvmlab::cuda {\n\n// All exported functions, by name.\n"
      "enum class Function : std::uint16_t {\n";
  for (const auto& [symbol, function] : inputs.facts.functions)
    text += fmt::format("  {},\n", symbol);
  return text +
         fmt::format("}};\ninline constexpr std::uint16_t kFunctionCount = {};\n\n}}  // namespace nvmlab::cuda\n",
                     inputs.facts.functions.size());
}

std::string hooks(const CudaInputs& inputs) {
  std::string text = std::string(kGeneratedFrom) +
                     "#pragma once\n\n#include \"drivers/cuda/abi/abi.hpp\"\n\nnamespace nvmlab::cuda::hooks {\n\n";
  for (const auto& [symbol, verdict] : inputs.meaning.verdicts) {
    if (!verdict.call || hook_of(symbol) != symbol) continue;
    text += fmt::format("CUresult {}({});\n", symbol, parameters_of(inputs.facts.functions.at(symbol)));
  }
  return text + "\n}  // namespace nvmlab::cuda::hooks\n";
}

std::string calls(const CudaInputs& inputs) {
  std::string text =
      std::string(kGeneratedFrom) +
      "#include \"drivers/cuda/hooks/export.hpp\"\n\nusing namespace nvmlab::cuda;\n\nextern \"C\" {\n\n";
  for (const auto& [symbol, verdict] : inputs.meaning.verdicts) {
    if (!verdict.call) continue;
    const Function& function = inputs.facts.functions.at(symbol);
    text += fmt::format(
        "NVMLAB_EXPORT CUresult {}({}) {{ return {}<Function::{}>([&] {{ return hooks::{}({}); }}); }}\n", symbol,
        parameters_of(function), caller_of(symbol, verdict), symbol, hook_of(symbol), arguments_of(function));
  }
  return text + "\n}  // extern \"C\"\n";
}

std::string refusals(const CudaInputs& inputs) {
  std::string text =
      std::string(kGeneratedFrom) +
      "// Their arguments are not looked at, so none are declared.\n"
      "#include \"drivers/cuda/hooks/export.hpp\"\n\nusing namespace nvmlab::cuda;\n\nextern \"C\" {\n\n";
  for (const auto& [symbol, verdict] : inputs.meaning.verdicts) {
    if (!verdict.call)
      text += fmt::format("NVMLAB_EXPORT CUresult {0}() {{ return refuse(Function::{0}); }}\n", symbol);
  }
  return text + "\n}  // extern \"C\"\n";
}

// By base name, and of one base name the newest first.
std::string names(const CudaInputs& inputs) {
  std::string text = std::string(kGeneratedFrom) + "#include \"drivers/cuda/abi/names.hpp\"\n\nextern \"C\" {\n";
  for (const auto& [symbol, function] : inputs.facts.functions)
    text += fmt::format("[[gnu::visibility(\"default\")]] void {}();\n", symbol);
  text += "}\n\nnamespace nvmlab::cuda {\n\nconst FunctionRow kFunctions[kFunctionCount] = {\n";
  for (const auto& [symbol, function] : inputs.facts.functions) {
    const SymbolParts parts = parts_of(symbol);
    const Verdict& verdict = inputs.meaning.verdicts.at(symbol);
    text += fmt::format("    {{\"{0}\", {1}, {2}, Stream::{3}, &::{0}, {4}}},\n", symbol, parts.base.size(),
                        function.since, parts.stream.empty() ? "legacy" : "per_thread",
                        verdict.call ? "nullptr" : fmt::format("\"{}\"", verdict.why));
  }
  return text + "};\n\n}  // namespace nvmlab::cuda\n";
}

}  // namespace

void emit_functions(const CudaInputs& inputs, Output& output) {
  const std::string folder = "simulator/drivers/cuda/";
  output.add(folder + "abi/generated/functions.hpp", enumeration(inputs));
  output.add(folder + "abi/generated/names.cpp", names(inputs));
  output.add(folder + "hooks/generated/hooks.hpp", hooks(inputs));
  output.add(folder + "hooks/generated/exports_calls.cpp", calls(inputs));
  output.add(folder + "hooks/generated/exports_refusals.cpp", refusals(inputs));
}

}  // namespace nvmlab::codegen::cuda
