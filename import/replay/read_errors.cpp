// SPDX-License-Identifier: Apache-2.0
//
// Errors that come in lists, and what the shape of the counters says of the board: the inverse of
// drivers/nvml/hooks/ecc.cpp and ecc_memory.cpp.
#include <array>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// The newer function has two arrays; the list has no gaps.
void read_pages(const Context& context, std::string_view cause, std::string_view field) {
  const auto when = fmt::format("cause={}", cause);
  const Call* timed = context.calls.good("nvmlDeviceGetRetiredPages_v2", when);
  const Call* call = timed != nullptr ? timed : context.calls.good("nvmlDeviceGetRetiredPages", when);
  if (!lists(call, "addresses")) return;
  const Json& addresses = list(call, "addresses");
  const Json& times = list(timed, "timestamps");
  Records pages;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto when_retired = i < times.size() ? yaml_of(&times[i]) : std::string();
    pages[i] = {{"address", yaml_of(&addresses[i])}, {"retired_us", when_retired.empty() ? "0" : when_retired}};
  }
  context.tell(field, pages, pages.size(), *call);
}

void read_places(const Context& context) {
  const Call* call = context.calls.good("nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts");
  if (call == nullptr) return;
  context.tell("ecc.sram_unique_supported", "1", *call);
  if (!lists(call, "errorCounts.entries")) return;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 7> members{{{"unit", "unit"},
                                                                                  {"location", "location"},
                                                                                  {"sublocation", "sublocation"},
                                                                                  {"extlocation", "extlocation"},
                                                                                  {"address", "address"},
                                                                                  {"parity", "isParity"},
                                                                                  {"times", "count"}}};
  Records places;
  for (const Json& entry : list(call, "errorCounts.entries")) {
    Record& record = places[places.size()];
    for (const auto& [name, output] : members) {
      if (const auto value = yaml_of(member(entry, output)); !value.empty()) record.emplace(name, value);
    }
  }
  context.tell("ecc.sram_unique", places, places.size(), *call);
}

// Totals where no field id told them.
void read_totals(const Context& context) {
  for (const auto& [error, name] : {std::pair{"CORRECTED", "corrected"}, std::pair{"UNCORRECTED", "uncorrected"}}) {
    for (const auto& [counter, kind] : {std::pair{"VOLATILE", "volatile"}, std::pair{"AGGREGATE", "aggregate"}}) {
      const auto field = fmt::format("ecc.{}_{}.total", name, kind);
      const auto when = fmt::format("errorType=NVML_MEMORY_ERROR_TYPE_{} counterType=NVML_{}_ECC", error, counter);
      const Call* call = context.calls.good("nvmlDeviceGetTotalEccErrors", when);
      if (call == nullptr || context.told(field)) continue;
      if (const auto value = yaml_of(member(call->out, "eccCounts")); !value.empty()) context.tell(field, value, *call);
    }
  }
}

}  // namespace

void read_errors(const Context& context) {
  read_pages(context, "NVML_PAGE_RETIREMENT_CAUSE_MULTIPLE_SINGLE_BIT_ECC_ERRORS", "ecc.retired_single_bit");
  read_pages(context, "NVML_PAGE_RETIREMENT_CAUSE_DOUBLE_BIT_ECC_ERROR", "ecc.retired_double_bit");
  read_places(context);
  read_totals(context);
  if (const Call* call = context.calls.find("nvmlDeviceGetSramEccErrorStatus")) {
    if (call->succeeded()) {
      context.tell("ecc.sram_supported", "1", *call);
    } else if (const FieldValue* mode = context.value("ecc.mode"); mode != nullptr && mode->label() == "enabled") {
      context.refuse("ecc.sram_supported", *call);
    }
  }
}

}  // namespace nvmlab::importer::replay
