// SPDX-License-Identifier: Apache-2.0
//
// What a machine can report: the bits of nvmlEventType* and nvmlSystemEventType*, and which of them a board raises.
// Tests: tests/drivers/functions/events_test.cpp, event_delivery_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"

namespace nvmlab {

inline constexpr std::uint64_t kSingleBitEccEvent = 0x1;
inline constexpr std::uint64_t kDoubleBitEccEvent = 0x2;
inline constexpr std::uint64_t kPerformanceStateEvent = 0x4;
inline constexpr std::uint64_t kXidEvent = 0x8;
inline constexpr std::uint64_t kClockEvent = 0x10;
inline constexpr std::uint64_t kPowerSourceEvent = 0x80;
inline constexpr std::uint64_t kMigConfigEvent = 0x100;
inline constexpr std::uint64_t kSingleBitEccStormEvent = 0x200;
inline constexpr std::uint64_t kDramRetirementEvent = 0x400;
inline constexpr std::uint64_t kDramRetirementFailureEvent = 0x800;
inline constexpr std::uint64_t kNonFatalPoisonEvent = 0x1000;
inline constexpr std::uint64_t kFatalPoisonEvent = 0x2000;
inline constexpr std::uint64_t kGpuUnavailableEvent = 0x4000;
inline constexpr std::uint64_t kRecoveryActionEvent = 0x8000;

// The Xid by which the kernel module tells of another recovery action, and the first driver that has any.
inline constexpr std::uint64_t kRecoveryActionXid = 154;
inline constexpr std::uint32_t kFirstBranchWithRecovery = 570;

inline constexpr std::uint64_t kDriverUnbindEvent = 0x1;  // of the machine
inline constexpr std::uint64_t kDriverBindEvent = 0x2;    // of the machine

// What a board must have to report some of them.
struct EventSources {
  bool ecc;
  bool row_remapping;
  bool mig;
  bool recovery_action;
};

inline EventSources event_sources(const Ecc& ecc, const Modes& modes) {
  return {ecc.mode.has_value(), ecc.remap_pending.has_value(), modes.mig.has_value(),
          modes.recovery_action.has_value()};
}

// Drivers before the 575 branch know nothing of remapping, poison and recovery.
std::uint64_t supported_events(const EventSources& board, std::uint32_t driver_branch);

inline constexpr std::uint64_t kSystemEvents = kDriverUnbindEvent | kDriverBindEvent;

}  // namespace nvmlab
