// SPDX-License-Identifier: Apache-2.0
// The line that the kernel module writes to the kernel log for an Xid. Tests: tests/unit/topics/xid_lines_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/event_ring.hpp"
#include "engine/store/text_writer.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab {

// The GPU that an Xid is about.
struct XidSubject {
  PciAddress address{};
  std::uint32_t gpu_instance = kNoInstance;
  std::uint32_t compute_instance = kNoInstance;
  bool remaps_rows = false;         // false: the board retires pages
  std::uint32_t action_before = 0;  // modes.recovery_action before the change that raised the Xid
  std::uint32_t action_now = 0;
};

// Every line fits, with its newline and a zero.
inline constexpr std::uint32_t kMaxXidLine = 512;

// "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", without a newline.
void write_xid_line(std::uint64_t xid, const XidSubject& subject, TextWriter& line);

}  // namespace nvmlab
