// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/young_ids.hpp"

#include <bit>
#include <cstdint>

#include "codegen/emit/field_numbers.hpp"

namespace nvmlab::codegen {
namespace {

void add_if_young(const Inputs& inputs, unsigned id, const std::string& name, std::uint64_t drivers,
                  std::map<unsigned, YoungId>& young) {
  if (drivers == 0 || (drivers & 1) != 0) return;
  young[id] = {name, inputs.releases[static_cast<std::size_t>(std::countr_zero(drivers))].from};
}

}  // namespace

std::map<unsigned, YoungId> young_fields(const Inputs& inputs) {
  std::map<unsigned, YoungId> young;
  for (const auto& [id, name] : field_names(inputs)) {
    std::uint64_t drivers = 0;
    for (const auto& [number, numbered_so] : field_numbers(inputs, name))
      drivers |= numbered_so;
    add_if_young(inputs, id, name, drivers, young);
  }
  return young;
}

std::map<unsigned, YoungId> young_metrics(const Inputs& inputs) {
  std::map<unsigned, YoungId> young;
  for (const auto& [name, spans] : inputs.registry.enumerators) {
    const bool is_id = name.starts_with("NVML_GPM_METRIC_") && name != "NVML_GPM_METRIC_MAX";
    if (!is_id || !spans.back().until.empty()) continue;
    std::uint64_t drivers = 0;
    for (std::size_t row = 0; row < inputs.releases.size(); ++row) {
      const std::string& header = inputs.releases[row].header;
      if (at_release(spans, header.empty() ? inputs.registry.releases.front().version : header) != nullptr)
        drivers |= std::uint64_t{1} << row;
    }
    add_if_young(inputs, static_cast<unsigned>(newest_definition(spans).value), name, drivers, young);
  }
  return young;
}

}  // namespace nvmlab::codegen
