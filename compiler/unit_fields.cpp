// SPDX-License-Identifier: Apache-2.0
#include "compiler/unit_fields.hpp"

#include <algorithm>
#include <array>

namespace nvmlab::compiler {

bool names_one_unit(std::string_view field) {
  constexpr std::array<std::string_view, 13> names{
      "identity.serial",
      "identity.uuid",
      "identity.pdi",
      "identity.minor_number",
      "identity.module_id",
      "identity.bbx_flush_time_us",
      "pci.domain",
      "pci.bus",
      "pci.device",
      "fabric.gpu_fabric_guid",
      "fabric.platform_module_id",
      "fabric.chassis_serial",
      "system.hostname",
  };
  return std::ranges::find(names, field) != names.end();
}

}  // namespace nvmlab::compiler
