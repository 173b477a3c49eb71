// SPDX-License-Identifier: Apache-2.0
//
// What can be asked of NVLink. Which links a driver can name is for the driver to say; a number beyond those of the
// chip is NOT_SUPPORTED. Tests: tests/drivers/functions/nvlink_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct SetNvlinkBandwidthMode {
  std::uint32_t best;  // 1: whatever mode is the best one
  std::uint32_t mode;
};

// 0xffffffff: back to what it was when the board was shipped.
struct SetNvlinkLowPowerThreshold {
  std::uint32_t threshold;
};

inline constexpr std::uint32_t kShippedThreshold = 0xffffffff;

struct SetNvlinkEncryptionReady {
  std::uint32_t ready;
};

struct ClearNvlinkErrors {
  std::uint32_t link;
};

// What one of the two utilization counters of a link counts.
struct SetNvlinkCounter {
  std::uint32_t link;
  std::uint32_t counter;
  std::uint32_t units;
  std::uint32_t packet_filter;
  std::uint32_t clear_too;
};

struct FreezeNvlinkCounter {
  std::uint32_t link;
  std::uint32_t counter;
  std::uint32_t frozen;
};

struct ClearNvlinkCounter {
  std::uint32_t link;
  std::uint32_t counter;
};

Code make(const SetNvlinkBandwidthMode& change, GpuEdit& gpu);
Code make(const SetNvlinkLowPowerThreshold& change, GpuEdit& gpu);
Code make(const SetNvlinkEncryptionReady& change, GpuEdit& gpu);
Code make(const ClearNvlinkErrors& change, GpuEdit& gpu);
Code make(const SetNvlinkCounter& change, GpuEdit& gpu);
Code make(const FreezeNvlinkCounter& change, GpuEdit& gpu);
Code make(const ClearNvlinkCounter& change, GpuEdit& gpu);

// Counters of links take no root, as with a real driver.
inline bool open_to_all(const ClearNvlinkErrors&, const GpuEdit&) { return true; }
inline bool open_to_all(const SetNvlinkCounter&, const GpuEdit&) { return true; }
inline bool open_to_all(const FreezeNvlinkCounter&, const GpuEdit&) { return true; }
inline bool open_to_all(const ClearNvlinkCounter&, const GpuEdit&) { return true; }

}  // namespace nvmlab
