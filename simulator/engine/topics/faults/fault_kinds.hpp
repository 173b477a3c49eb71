// SPDX-License-Identifier: Apache-2.0
//
// The faults that there are, and what each does: a row of effects, of which a board shows those that it has the fields
// for. What a board does not have, no fault gives it. docs/guide/faults.md lists them. Tests:
// tests/unit/changes/faults_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

enum class FaultKind : std::uint32_t {
  xid,
  lost,
  missing,
  reset_required,
  ecc_corrected,
  ecc_uncorrected,
  ecc_uncontained,
  row_remap,
  row_remap_failed,
  page_retirement,
  nvlink_down,
  nvlink_errors,
  thermal_slowdown,
  power_brake,
  fan_stopped,
  pcie_replays,
  pcie_degraded,
  fabric_degraded,
  memory_exhausted,
};
inline constexpr std::uint32_t kFaultKinds = 19;

// What the number of a fault means.
enum class FaultNumber : std::uint8_t { none, xid, location, link, fan };

// Of modes.recovery_action.
enum RecoveryAction : std::uint8_t {
  kNoRecovery = 0,
  kResetGpu = 1,
  kRebootNode = 2,
  kDrainP2p = 3,
  kDrainAndReset = 4,
};

// What a fault holds in the state as long as it lasts.
enum Held : std::uint32_t {
  kHoldsRemapPending = 1 << 0,
  kHoldsRemapFailed = 1 << 1,
  kHoldsRetirementPending = 1 << 2,
  kHoldsRepairPending = 1 << 3,
  kHoldsLinkDown = 1 << 4,
  kHoldsThermalSlowdown = 1 << 5,
  kHoldsPowerBrake = 1 << 6,
  kHoldsFanStopped = 1 << 7,
  kHoldsPcieDegraded = 1 << 8,
  kHoldsFabricDegraded = 1 << 9,
  kHoldsMemory = 1 << 10,
};
// What only a driver that initialises the GPU anew brings to an end; retired pages are not used from then on.
inline constexpr std::uint32_t kHeldUntilReload = kHoldsRetirementPending;

// What a fault counts at once.
enum Counted : std::uint32_t {
  kCountsCorrected = 1 << 0,
  kCountsUncorrected = 1 << 1,
  kCountsRemapCorrectable = 1 << 2,
  kCountsRemapUncorrectable = 1 << 3,
  kCountsRetiredSingleBit = 1 << 4,
  kCountsRetiredDoubleBit = 1 << 5,
  kCountsLinkErrors = 1 << 6,
  kCountsC2cErrors = 1 << 7,
  kCountsReplays = 1 << 8,
};
inline constexpr std::uint32_t kCountsRemap = kCountsRemapCorrectable | kCountsRemapUncorrectable;
inline constexpr std::uint32_t kCountsRetired = kCountsRetiredSingleBit | kCountsRetiredDoubleBit;

struct FaultEffects {
  std::uint32_t holds = 0;     // Held
  std::uint32_t kept = 0;      // of them those that no reset undoes
  std::uint32_t counts = 0;    // Counted
  std::uint32_t events = 0;    // types of events beside Xids
  std::uint16_t xids[3] = {};  // in the order in which they come
  std::uint16_t refuses = 0;   // the code that every call about the GPU gets
  RecoveryAction recovery = kNoRecovery;
  bool missing = false;  // processes do not count the GPU
};

struct FaultRow {
  char name[20] = {};
  FaultNumber number{};
  FaultEffects effects;
};

// Of a kind that is none: null.
const FaultRow* find_fault(FaultKind kind);

// Whether the fault tells of this Xid by itself.
constexpr bool tells_of(const FaultRow& fault, std::uint32_t xid) {
  for (const std::uint32_t each : fault.effects.xids) {
    if (each == xid) return true;
  }
  return false;
}

// Places in memory that error counters tell apart, as `ecc` of model/state/ has them.
inline constexpr const char* kEccLocations[] = {"dram",          "sram",           "l1_cache",    "l2_cache",
                                                "register_file", "texture_memory", "texture_shm", "cbu"};
inline constexpr std::uint32_t kEccLocationCount = sizeof kEccLocations / sizeof *kEccLocations;
inline constexpr std::uint32_t kDramLocation = 0;
inline constexpr std::uint32_t kSramLocation = 1;

// What is behind an Xid decides what follows from it.
enum class XidFamily : std::uint8_t {
  application,       // a program's own mistake, or nothing that the GPU keeps: the event alone
  reset,             // the GPU wants a reset, and answers until then
  halted,            // the GPU takes no more calls until it is reset
  lost,              // off the bus
  missing,           // the driver could not initialise it
  double_bit,        // an error that ECC could not correct
  double_bit_sram,   // the same in on-chip memory
  remap,             // a row is remapped, or a page retired, when the time comes
  remap_failed,      // it could not be
  storm,             // corrected errors come too fast
  contained,         // one process is affected
  uncontained,       // all are
  escaped,           // an error of memory that was found elsewhere
  link,              // NVLink up to its fourth generation
  link_drain,        // NVLink 5: peers are to let go
  link_drain_reset,  // NVLink 5: work is to end, and a reset to follow
  c2c,               // the link to the CPU of the module
  repair,            // a channel or TPC is repaired at the next reset
  recovery,          // tells that another recovery action is asked for
};

struct XidRow {
  std::uint16_t number;
  XidFamily family;
};

// The catalogue, by number.
struct XidRows {
  const XidRow* items;
  std::uint32_t count;
  const XidRow* begin() const { return items; }
  const XidRow* end() const { return items + count; }
};
XidRows xid_rows();
const XidRow* find_xid(std::uint32_t number);  // null where the catalogue has none

const FaultEffects& effects_of(XidFamily family);

}  // namespace nvmlab
