// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/cuda/cuda.hpp"

#include "codegen/cuda/facts.hpp"
#include "codegen/emit/cuda/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_cuda(const Inputs& inputs, Output& output) {
  const auto facts = cuda::load_facts(inputs.root / "model" / "facts" / "cuda.json");
  if (!facts) return std::unexpected(facts.error());
  const auto meaning = cuda::load_meaning(inputs.root / "model" / "cuda", *facts);
  if (!meaning) return std::unexpected(meaning.error());
  const cuda::CudaInputs all{*facts, *meaning, inputs.releases};
  cuda::emit_functions(all, output);
  cuda::emit_export_table(all, output);
  cuda::emit_attributes(all, output);
  cuda::emit_results(all, output);
  cuda::emit_cuda_coverage(all, output);
  return {};
}

}  // namespace nvmlab::codegen
