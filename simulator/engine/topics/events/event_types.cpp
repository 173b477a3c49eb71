// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {

std::uint64_t supported_events(const EventSources& board, std::uint32_t driver_branch) {
  constexpr std::uint32_t kFirstWithHealthEvents = 575;
  std::uint64_t events = kXidEvent | kClockEvent | kPerformanceStateEvent;
  if (board.ecc) events |= kSingleBitEccEvent | kDoubleBitEccEvent;
  if (board.mig) events |= kMigConfigEvent;
  if (driver_branch < kFirstWithHealthEvents) return events;
  if (board.row_remapping)
    events |= kSingleBitEccStormEvent | kDramRetirementEvent | kDramRetirementFailureEvent | kNonFatalPoisonEvent |
              kFatalPoisonEvent;
  if (board.recovery_action) events |= kGpuUnavailableEvent | kRecoveryActionEvent;
  return events;
}

}  // namespace nvmlab
