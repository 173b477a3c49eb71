// SPDX-License-Identifier: Apache-2.0
#include "codegen/emit/field_numbers.hpp"

#include <algorithm>

namespace nvmlab::codegen {

std::map<unsigned, std::uint64_t> field_numbers(const Inputs& inputs, const std::string& name) {
  std::map<unsigned, std::uint64_t> ids;
  const History<Macro>& spans = inputs.registry.macros.at(name);
  const auto id_of = [](const Macro& macro) { return static_cast<unsigned>(macro.value ? macro.value->bits : 0); };
  for (std::size_t row = 0; row < inputs.releases.size(); ++row) {
    const DriverRelease& release = inputs.releases[row];
    const std::string& header = release.header.empty() ? inputs.registry.releases.front().version : release.header;
    const unsigned first = id_of(spans.front().definition);
    if (const Macro* macro = at_release(spans, header)) {
      ids[id_of(*macro)] |= std::uint64_t{1} << row;
    } else if (std::ranges::find(release.field_ids, first) != release.field_ids.end()) {
      ids[first] |= std::uint64_t{1} << row;
    }
  }
  return ids;
}

std::map<unsigned, std::string> field_names(const Inputs& inputs) {
  std::map<unsigned, std::string> ids;
  for (const auto& [name, spans] : inputs.registry.macros) {
    const Macro& macro = newest_definition(spans);
    const bool is_id = name.starts_with("NVML_FI_") && name != "NVML_FI_MAX" && spans.back().until.empty();
    if (is_id && macro.value && !macro.text.starts_with("NVML_")) ids.emplace(macro.value->bits, name);
  }
  return ids;
}

}  // namespace nvmlab::codegen
