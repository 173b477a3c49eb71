// SPDX-License-Identifier: Apache-2.0
#include "compiler/unit_fields.hpp"

#include "engine/state/field.hpp"

namespace nvmlab::compiler {

bool names_one_unit(std::string_view field) {
  const std::size_t dot = field.find('.');
  if (dot == std::string_view::npos) return false;
  for (const Topic& topic : topics()) {
    if (field.substr(0, dot) != topic.table.name) continue;
    for (std::uint32_t i = 0; i < topic.table.field_count; ++i) {
      if (field.substr(dot + 1) == topic.table.fields[i].name) return topic.table.fields[i].unit_specific;
    }
  }
  return false;
}

}  // namespace nvmlab::compiler
