// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/fault_kinds.hpp"

#include "engine/state/code.hpp"
#include "engine/topics/events/event_types.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kRemapPending = kHoldsRemapPending | kHoldsRetirementPending;
constexpr std::uint32_t kRemapUncorrectable = kCountsRemapUncorrectable | kCountsRetiredDoubleBit;
constexpr std::uint32_t kPoisoned = kFatalPoisonEvent | kGpuUnavailableEvent;

// In the order of FaultKind. Of one Xid, what find_xid() says counts.
constexpr FaultRow kFaults[] = {
    {"xid", FaultNumber::xid, {}},
    {"lost", FaultNumber::none, {.refuses = kGpuIsLost}},
    {"missing", FaultNumber::none, {.refuses = kGpuIsLost, .missing = true}},
    {"reset-required",
     FaultNumber::none,
     {.events = kGpuUnavailableEvent, .refuses = kResetRequired, .recovery = kResetGpu}},
    {"ecc-corrected", FaultNumber::location, {.counts = kCountsCorrected, .events = kSingleBitEccEvent}},
    {"ecc-uncorrected",
     FaultNumber::location,
     {.holds = kRemapPending,
      .counts = kCountsUncorrected | kRemapUncorrectable,
      .events = kDoubleBitEccEvent | kDramRetirementEvent | kNonFatalPoisonEvent,
      .xids = {48, 63, 94}}},
    {"ecc-uncontained",
     FaultNumber::location,
     {.holds = kRemapPending,
      .counts = kCountsUncorrected | kRemapUncorrectable,
      .events = kDoubleBitEccEvent | kDramRetirementEvent | kPoisoned,
      .xids = {48, 63, 95},
      .recovery = kResetGpu}},
    {"row-remap",
     FaultNumber::none,
     {.holds = kHoldsRemapPending, .counts = kCountsRemapCorrectable, .events = kDramRetirementEvent, .xids = {63}}},
    {"row-remap-failed",
     FaultNumber::none,
     {.holds = kHoldsRemapFailed,
      .kept = kHoldsRemapFailed,
      .events = kDramRetirementFailureEvent,
      .xids = {64},
      .recovery = kResetGpu}},
    {"page-retirement",
     FaultNumber::none,
     {.holds = kHoldsRetirementPending, .counts = kCountsRetiredSingleBit, .xids = {63}}},
    {"nvlink-down",
     FaultNumber::link,
     {.holds = kHoldsLinkDown, .counts = kCountsLinkErrors, .xids = {74}, .recovery = kResetGpu}},
    {"nvlink-errors", FaultNumber::link, {.counts = kCountsLinkErrors}},
    {"thermal-slowdown",
     FaultNumber::none,
     {.holds = kHoldsThermalSlowdown, .kept = kHoldsThermalSlowdown, .events = kClockEvent}},
    {"power-brake", FaultNumber::none, {.holds = kHoldsPowerBrake, .kept = kHoldsPowerBrake, .events = kClockEvent}},
    {"fan-stopped", FaultNumber::fan, {.holds = kHoldsFanStopped, .kept = kHoldsFanStopped}},
    {"pcie-replays", FaultNumber::none, {.counts = kCountsReplays}},
    {"pcie-degraded", FaultNumber::none, {.holds = kHoldsPcieDegraded, .kept = kHoldsPcieDegraded}},
    {"fabric-degraded", FaultNumber::none, {.holds = kHoldsFabricDegraded, .kept = kHoldsFabricDegraded}},
    {"memory-exhausted", FaultNumber::none, {.holds = kHoldsMemory}},
};
static_assert(sizeof kFaults / sizeof *kFaults == kFaultKinds);

// In the order of XidFamily; the Xid itself comes first and is not named.
constexpr FaultEffects kFamilies[] = {
    {},
    {.recovery = kResetGpu},
    {.events = kGpuUnavailableEvent, .refuses = kResetRequired, .recovery = kResetGpu},
    {.refuses = kGpuIsLost},
    {.refuses = kGpuIsLost, .missing = true},
    {.counts = kCountsUncorrected, .events = kDoubleBitEccEvent},
    {.counts = kCountsUncorrected, .events = kDoubleBitEccEvent},
    {.holds = kRemapPending, .counts = kRemapUncorrectable, .events = kDramRetirementEvent},
    {.holds = kHoldsRemapFailed,
     .kept = kHoldsRemapFailed,
     .events = kDramRetirementFailureEvent,
     .recovery = kResetGpu},
    {.counts = kCountsCorrected, .events = kSingleBitEccEvent | kSingleBitEccStormEvent},
    {.counts = kCountsUncorrected, .events = kNonFatalPoisonEvent},
    {.counts = kCountsUncorrected, .events = kPoisoned, .recovery = kResetGpu},
    {.counts = kCountsUncorrected, .recovery = kResetGpu},
    {.holds = kHoldsLinkDown, .counts = kCountsLinkErrors, .recovery = kResetGpu},
    {.counts = kCountsLinkErrors, .recovery = kDrainP2p},
    {.counts = kCountsLinkErrors, .recovery = kDrainAndReset},
    {.counts = kCountsC2cErrors},
    {.holds = kHoldsRepairPending, .recovery = kResetGpu},
    {.recovery = kResetGpu},
};
static_assert(sizeof kFamilies / sizeof *kFamilies == static_cast<std::size_t>(XidFamily::recovery) + 1);

}  // namespace

const FaultRow* find_fault(FaultKind kind) {
  const auto at = static_cast<std::uint32_t>(kind);
  return at < kFaultKinds ? kFaults + at : nullptr;
}

const FaultEffects& effects_of(XidFamily family) { return kFamilies[static_cast<std::size_t>(family)]; }

}  // namespace nvmlab
