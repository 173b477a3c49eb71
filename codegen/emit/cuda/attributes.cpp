// SPDX-License-Identifier: Apache-2.0
// cuDeviceGetAttribute: one line for each attribute, which names a field of the state, a rule or a value.
#include <fmt/format.h>

#include <cctype>

#include "codegen/emit/cuda/inputs.hpp"

namespace nvmlab::codegen::cuda {
namespace {

// "cuda.max_pitch_bytes" as "&Gpu::cuda, &Cuda::max_pitch_bytes".
std::string members_of(const std::string& field) {
  const std::size_t dot = field.find('.');
  const std::string topic = field.substr(0, dot);
  std::string type = topic;
  type[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(type[0])));
  return fmt::format("&Gpu::{}, &{}::{}", topic, type, field.substr(dot + 1));
}

std::string otherwise(const Attribute& attribute) {
  if (attribute.by_capability.empty()) return fmt::format("{}", attribute.value.value_or(0));
  std::string rows;
  for (const auto& [capability, value] : attribute.by_capability)
    rows += fmt::format("{}{{{}, {}}}", rows.empty() ? "" : ", ", capability, value);
  return fmt::format("by_capability(gpu, {{{}}})", rows);
}

std::string answer_of(const Attribute& attribute) {
  if (!attribute.rule.empty()) return fmt::format("rules::{}(gpu)", attribute.rule);
  if (attribute.field.empty()) return otherwise(attribute);
  if (attribute.item)
    return fmt::format("item(gpu, {}, {}, {})", members_of(attribute.field), *attribute.item, otherwise(attribute));
  return fmt::format("field(gpu, {}, {})", members_of(attribute.field), otherwise(attribute));
}

// The names of cuda.h.
std::string numbers(const CudaInputs& inputs) {
  std::string text = std::string(kGeneratedFrom) + "#pragma once\n\n// NOLINTBEGIN\nenum : unsigned {\n";
  for (const Attribute& each : inputs.meaning.attributes)
    text += fmt::format("  {} = {},\n", each.name, each.id);
  return text + "};\n// NOLINTEND\n";
}

}  // namespace

void emit_attributes(const CudaInputs& inputs, Output& output) {
  std::string text = std::string(kGeneratedFrom) +
                     "#include \"drivers/cuda/process/attribute_sources.hpp\"\n\nnamespace nvmlab::cuda {\n\n"
                     "bool read_attribute(std::uint32_t id, const CudaGpu& gpu, int* value) {\n  switch (id) {\n";
  for (const Attribute& each : inputs.meaning.attributes) {
    const std::string name = each.name.substr(sizeof "CU_DEVICE_ATTRIBUTE_" - 1);
    text += fmt::format("    // {}\n    case {}:\n      *value = static_cast<int>({});\n      return true;\n", name,
                        each.id, answer_of(each));
  }
  text += "    default:\n      return false;\n  }\n}\n\n";
  text += "std::uint32_t attribute_since(std::uint32_t id) {\n  switch (id) {\n";
  for (const Attribute& each : inputs.meaning.attributes) {
    if (each.since != 0) text += fmt::format("    case {}:\n      return {};\n", each.id, each.since);
  }
  output.add("simulator/drivers/cuda/abi/generated/device_attributes.hpp", numbers(inputs));
  output.add("simulator/drivers/cuda/process/generated/attributes.cpp",
             text + "    default:\n      return 0;\n  }\n}\n\n}  // namespace nvmlab::cuda\n");
}

void emit_results(const CudaInputs& inputs, Output& output) {
  std::string codes = std::string(kGeneratedFrom) + "#pragma once\n\n// NOLINTBEGIN\nenum CUresult : int {\n";
  std::string rows =
      std::string(kGeneratedFrom) +
      "#pragma once\n\n#include \"drivers/cuda/abi/generated/results.hpp\"\n\nnamespace nvmlab::cuda {\n\n"
      "struct ResultRow {\n  int code;\n  unsigned since;\n  const char* name;\n  const char* text;\n};\n\n"
      "inline constexpr ResultRow kResults[] = {\n";
  for (const ResultText& each : inputs.meaning.results) {
    codes += fmt::format("  {} = {},\n", each.name, each.value);
    rows += fmt::format("    {{{}, {}, \"{}\", \"{}\"}},\n", each.value, inputs.facts.results.at(each.name).since,
                        each.name, each.text);
  }
  output.add("simulator/drivers/cuda/abi/generated/results.hpp", codes + "};\n// NOLINTEND\n");
  output.add("simulator/drivers/cuda/abi/generated/result_texts.hpp", rows + "};\n\n}  // namespace nvmlab::cuda\n");
}

}  // namespace nvmlab::codegen::cuda
