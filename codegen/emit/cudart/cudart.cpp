// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/cudart/cudart.hpp"

#include "codegen/emit/cudart/inputs.hpp"

namespace nvmlab::codegen {

std::expected<void, Error> emit_cudart(const Inputs& inputs, Output& output) {
  const auto facts = cudart::load_facts(inputs.root / "model" / "facts" / "cudart.json");
  if (!facts) return std::unexpected(facts.error());
  const auto meaning = cudart::load_meaning(inputs.root / "model" / "cudart", *facts);
  if (!meaning) return std::unexpected(meaning.error());
  const cudart::CudartInputs all{*facts, *meaning};
  cudart::emit_tables(all, output);
  if (auto emitted = cudart::emit_exports(all, output); !emitted) return emitted;
  cudart::emit_errors(all, output);
  cudart::emit_coverage(all, output);
  return {};
}

}  // namespace nvmlab::codegen
