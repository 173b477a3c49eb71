// SPDX-License-Identifier: Apache-2.0
//
// Clock pairs, performance states and monitors: the inverse of drivers/nvml/hooks/clocks.cpp and performance.cpp.
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// The numbers of a list; what is none is skipped.
std::vector<std::uint64_t> numbers(const Json& items) {
  std::vector<std::uint64_t> all;
  for (const Json& item : items) {
    if (const auto value = number(&item)) all.push_back(*value);
  }
  return all;
}

void read_supported(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceGetSupportedMemoryClocks");
  if (!lists(call, "clocksMHz")) return;
  std::vector<std::string> rows;
  for (const std::uint64_t memory : numbers(list(call, "clocksMHz"))) {
    const Call* graphics =
        context.calls.find("nvmlDeviceGetSupportedGraphicsClocks", fmt::format("memoryClockMHz={}", memory));
    rows.push_back(fmt::format("{{memory_mhz: {}, graphics_mhz: [{}]}}", memory,
                               fmt::join(numbers(list(graphics, "clocksMHz")), ", ")));
  }
  context.tell("clocks.supported", fmt::format("[{}]", fmt::join(rows, ", ")), *call);
}

struct Domain {
  std::string_view type;
  std::string_view prefix;
  bool movable;
};

void read_pstate(const Context& context, std::uint64_t number, Record& record) {
  constexpr std::array domains{Domain{"NVML_CLOCK_GRAPHICS", "graphics", true},
                               Domain{"NVML_CLOCK_MEM", "memory", true}, Domain{"NVML_CLOCK_VIDEO", "video", false}};
  for (const auto& [type, prefix, movable] : domains) {
    const auto when = fmt::format("type={} pstate={}", type, number);
    const Call* range = context.calls.find("nvmlDeviceGetMinMaxClockOfPState", when);
    put(record, fmt::format("{}_min_mhz", prefix), range, "minClockMHz");
    put(record, fmt::format("{}_max_mhz", prefix), range, "maxClockMHz");
    if (!movable) continue;
    const Call* offset = context.calls.find("nvmlDeviceGetClockOffsets", when);
    if (offset == nullptr || !offset->succeeded()) continue;
    put(record, fmt::format("{}_offset_mhz", prefix), offset, "info.clockOffsetMHz");
    put(record, fmt::format("{}_offset_min_mhz", prefix), offset, "info.minClockOffsetMHz");
    put(record, fmt::format("{}_offset_max_mhz", prefix), offset, "info.maxClockOffsetMHz");
  }
}

// Drivers before nvmlDeviceGetClockOffsets tell the offsets of the fastest state alone.
void read_first_offsets(const Context& context, Record& fastest) {
  for (const auto& [part, prefix] : {std::pair{"Gpc", "graphics"}, std::pair{"Mem", "memory"}}) {
    const Call* offset = context.calls.good(fmt::format("nvmlDeviceGet{}ClkVfOffset", part));
    const Call* range = context.calls.good(fmt::format("nvmlDeviceGet{}ClkMinMaxVfOffset", part));
    put(fastest, fmt::format("{}_offset_mhz", prefix), offset, "offset");
    put(fastest, fmt::format("{}_offset_min_mhz", prefix), range, "minOffset");
    put(fastest, fmt::format("{}_offset_max_mhz", prefix), range, "maxOffset");
  }
}

void read_pstates(const Context& context) {
  constexpr std::uint64_t unknown = 32;  // NVML_PSTATE_UNKNOWN fills what is left of the array
  const Call* call = context.calls.find("nvmlDeviceGetSupportedPerformanceStates");
  if (!lists(call, "pstates")) return;
  Records states;
  for (const std::uint64_t number : numbers(list(call, "pstates"))) {
    if (number == unknown) continue;
    Record& record = states[states.size()];
    record["number"] = std::to_string(number);
    read_pstate(context, number, record);
  }
  if (!states.empty()) read_first_offsets(context, states[0]);
  context.tell("clocks.pstates", states, states.size(), *call);
}

void read_monitors(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceGetClkMonStatus");
  if (call == nullptr || call->code == "FUNCTION_NOT_FOUND") return;
  // Who may not look at the monitors still learns that there are some.
  if (call->succeeded() || call->code == "NO_PERMISSION") context.tell("clocks.monitor", "1", *call);
  if (!call->succeeded()) return call->code == "NO_PERMISSION" ? void() : context.refuse("clocks.monitor", *call);
  if (!lists(call, "status.clkMonList")) return;
  Records faults;
  for (const Json& item : list(call, "status.clkMonList")) {
    faults[faults.size()] = {{"domain", yaml_of(member(item, "clkApiDomain"))},
                             {"faults", yaml_of(member(item, "clkDomainFaultMask"))}};
  }
  context.tell("clocks.monitor_faults", faults, faults.size(), *call);
}

}  // namespace

void read_clocks(const Context& context) {
  read_supported(context);
  read_pstates(context);
  read_monitors(context);
}

}  // namespace nvmlab::importer::replay
