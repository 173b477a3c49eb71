// SPDX-License-Identifier: Apache-2.0
//
// Totals, which more than one call tells, and what the shape of the counters says of the board.
#include <utility>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Totals where no field id told them.
void read_totals(const Context& context) {
  for (const auto& [error, name] : {std::pair{"CORRECTED", "corrected"}, std::pair{"UNCORRECTED", "uncorrected"}}) {
    for (const auto& [counter, kind] : {std::pair{"VOLATILE", "volatile"}, std::pair{"AGGREGATE", "aggregate"}}) {
      const auto field = fmt::format("ecc.{}_{}.total", name, kind);
      const auto when = fmt::format("errorType=NVML_MEMORY_ERROR_TYPE_{} counterType=NVML_{}_ECC", error, counter);
      const Call* call = context.calls.good("nvmlDeviceGetTotalEccErrors", when);
      if (call == nullptr || context.observed(field)) continue;
      context.set_number(field, *call, "eccCounts");
    }
  }
}

}  // namespace

void read_errors(const Context& context) {
  if (const Call* call = context.calls.good("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts"))
    context.set("ecc.sram_unique_supported", 1, *call);
  read_totals(context);
  if (const Call* call = context.calls.find("nvmlDeviceGetSramEccErrorStatus")) {
    if (call->succeeded()) {
      context.set("ecc.sram_supported", 1, *call);
    } else if (const FieldValue* mode = context.value("ecc.mode"); mode != nullptr && mode->label() == "enabled") {
      context.set_error("ecc.sram_supported", *call);
    }
  }
}

}  // namespace nvmlab::importer::replay
