// SPDX-License-Identifier: Apache-2.0
// The exported functions of each libcudart: what is called is one line that names a hook, what the driver does as well
// one line that hands its arguments on, what is not simulated one line that refuses. The two libraries share the hooks;
// where a function of CUDA 13 takes other arguments than its namesake of CUDA 12, the hooks are overloads.
#include <fmt/format.h>

#include <set>

#include "codegen/emit/cudart/inputs.hpp"

namespace nvmlab::codegen::cudart {
namespace {

// A type of a parameter that is handed on: nobody here looks into it.
std::string passed(const std::string& type) {
  if (type.ends_with('*')) return "void *";
  if (type.starts_with("enum ")) return "int";
  if (type == "cudaTextureObject_t" || type == "cudaSurfaceObject_t" || type == "cudaGraphConditionalHandle")
    return "unsigned long long";
  if (type.starts_with("cuda")) return type.ends_with("_t") || type.ends_with("Fn") ? "void *" : "int";
  return type;
}

std::string kept(const std::string& type) { return type; }

std::string list_of(const std::vector<Parameter>& parameters, std::string (*spell)(const std::string&)) {
  std::string text;
  for (const Parameter& each : parameters) {
    const std::string type = spell(each.type);
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", type, type.ends_with('*') ? "" : " ", each.name);
  }
  return text;
}

// Of a form for the stream of a thread, the null stream is that one.
std::string arguments_of(const std::string& symbol, const std::vector<Parameter>& parameters) {
  const bool per_thread = cuda::parts_of(symbol).stream == "_ptsz";
  std::string text;
  for (const Parameter& each : parameters) {
    const bool stream = per_thread && each.type == "cudaStream_t";
    text += fmt::format("{}{}", text.empty() ? "" : ", ", stream ? "per_thread(" + each.name + ")" : each.name);
  }
  return text;
}

std::string hook_of(const std::string& symbol) {
  return symbol.substr(0, symbol.size() - cuda::parts_of(symbol).stream.size());
}

Result<std::string> line_of(const std::string& symbol, std::uint32_t major, const Parameters& parameters,
                            const Verdict& verdict) {
  if (verdict.kind == Kind::own) return std::string{};
  const bool handed_on = verdict.kind == Kind::forward && verdict.targets.contains(major);
  if (verdict.kind != Kind::call && !handed_on)
    return fmt::format("NVMLAB_EXPORT cudaError_t {0}() {{ return refuse(Function::{0}); }}\n", symbol);
  if (!parameters) return fail(fmt::format("{}: no header declares it, so its verdict is own or unsupported", symbol));
  const std::string body = handed_on ? fmt::format("forward(Forward::{}{}{})", verdict.targets.at(major),
                                                   parameters->empty() ? "" : ", ", arguments_of(symbol, *parameters))
                                     : fmt::format("hooks::{}({})", hook_of(symbol), arguments_of(symbol, *parameters));
  return fmt::format("NVMLAB_EXPORT cudaError_t {0}({1}) {{ return answer(Function::{0}, [&] {{ return {2}; }}); }}\n",
                     symbol, list_of(*parameters, handed_on ? passed : kept), body);
}

std::string hooks(const CudartInputs& inputs) {
  std::set<std::string> lines;
  for (const auto& [symbol, forms] : inputs.facts.functions) {
    if (inputs.meaning.verdicts.at(symbol).kind != Kind::call) continue;
    for (const auto& [major, parameters] : forms) {
      if (parameters) lines.insert(fmt::format("cudaError_t {}({});\n", hook_of(symbol), list_of(*parameters, kept)));
    }
  }
  std::string text = std::string(kGeneratedFrom) +
                     "#pragma once\n\n#include \"drivers/cudart/abi.hpp\"\n\nnamespace nvmlab::cudart::hooks {\n\n";
  for (const std::string& line : lines)
    text += line;
  return text + "\n}  // namespace nvmlab::cudart::hooks\n";
}

}  // namespace

std::expected<void, Error> emit_exports(const CudartInputs& inputs, Output& output) {
  output.add("simulator/drivers/cudart/generated/hooks.hpp", hooks(inputs));
  for (const auto& [major, release] : inputs.facts.releases) {
    std::string text =
        std::string(kGeneratedFrom) +
        "// Of what is refused the arguments are not looked at, so none are declared.\n"
        "#include \"drivers/cudart/export.hpp\"\n\nusing namespace nvmlab::cudart;\n\n" +
        fmt::format("const int nvmlab::cudart::kRuntimeVersion = {};\n\nextern \"C\" {{\n\n", release.number);
    for (const auto& [symbol, forms] : inputs.facts.functions) {
      const auto form = forms.find(major);
      if (form == forms.end()) continue;
      const auto line = line_of(symbol, major, form->second, inputs.meaning.verdicts.at(symbol));
      if (!line) return std::unexpected(line.error());
      text += *line;
    }
    output.add(fmt::format("simulator/drivers/cudart/generated/exports_{}.cpp", major),
               text + "\n}  // extern \"C\"\n");
  }
  return {};
}

}  // namespace nvmlab::codegen::cudart
