// SPDX-License-Identifier: Apache-2.0
#include "command/machine/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/nearest.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab::tool {
namespace {

constexpr EventName kEvents[] = {
    {"xid", kXidEvent, false, "an Xid error; takes its number"},
    {"single-bit-ecc", kSingleBitEccEvent, false, "a memory error that ECC corrected"},
    {"double-bit-ecc", kDoubleBitEccEvent, false, "a memory error that ECC could not correct"},
    {"pstate", kPerformanceStateEvent, false, "another performance state"},
    {"clock", kClockEvent, false, "a clock changed"},
    {"mig-config", kMigConfigEvent, false, "the MIG configuration changed"},
    {"single-bit-ecc-storm", kSingleBitEccStormEvent, false, "corrected errors come too fast"},
    {"dram-retirement", kDramRetirementEvent, false, "memory was taken out of use"},
    {"dram-retirement-failure", kDramRetirementFailureEvent, false, "memory could not be taken out of use"},
    {"non-fatal-poison", kNonFatalPoisonEvent, false, "poisoned data, contained"},
    {"fatal-poison", kFatalPoisonEvent, false, "poisoned data, not contained"},
    {"gpu-unavailable", kGpuUnavailableEvent, false, "the GPU takes no work"},
    {"recovery-action", kRecoveryActionEvent, false, "another recovery action is asked for"},
    {"driver-unbind", kDriverUnbindEvent, true, "the driver let go of the GPU"},
    {"driver-bind", kDriverBindEvent, true, "the driver took the GPU"},
};

}  // namespace

std::span<const EventName> event_names() { return kEvents; }

std::expected<const EventName*, std::string> find_event(std::string_view name) {
  const auto* found = std::ranges::find(kEvents, name, &EventName::name);
  if (found != std::end(kEvents)) return found;
  std::vector<std::string> names;
  for (const EventName& each : kEvents)
    names.emplace_back(each.name);
  return std::unexpected(fmt::format("there is no event {}; {}", in_quotes(name), hint(name, names, "events")));
}

std::string describe(const Event& event) {
  const auto* found = std::ranges::find_if(kEvents, [&event](const EventName& each) {
    return each.type == event.type && each.of_machine == (event.of_machine != 0);
  });
  std::string text = found == std::end(kEvents) ? fmt::format("type 0x{:x}", event.type) : std::string(found->name);
  if (event.type == kXidEvent && event.of_machine == 0) text += fmt::format(" {}", event.data);
  if (event.gpu_instance != kNoInstance) text += fmt::format(" gpu-instance {}", event.gpu_instance);
  if (event.compute_instance != kNoInstance) text += fmt::format(" compute-instance {}", event.compute_instance);
  return text;
}

}  // namespace nvmlab::tool
