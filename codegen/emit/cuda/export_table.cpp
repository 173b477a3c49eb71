// SPDX-License-Identifier: Apache-2.0
// The exports of each simulated driver's libcuda: those of the CUDA release that it supports. Two real drivers, 535 and
// 550, export exactly that (tests/unit/codegen/cuda_facts_test.cpp).
#include <utility>

#include "codegen/emit/cuda/inputs.hpp"
#include "codegen/model/export_table.hpp"

namespace nvmlab::codegen::cuda {

void emit_export_table(const CudaInputs& inputs, Output& output) {
  std::vector<std::string> libraries;
  std::vector<std::uint32_t> cuda;
  for (const DriverRelease& release : inputs.releases) {
    if (release.library.empty()) continue;
    libraries.push_back(release.library);
    cuda.push_back(release_number(release.cuda));
  }
  ExportTable table("model/drivers.yaml and model/facts/cuda.json", std::move(libraries));
  for (const auto& [symbol, function] : inputs.facts.functions)
    table.add(symbol, [&](std::size_t at) { return function.since <= cuda[at]; });
  output.add("simulator/drivers/cuda/hooks/generated/exports.tsv", table.text());
}

}  // namespace nvmlab::codegen::cuda
