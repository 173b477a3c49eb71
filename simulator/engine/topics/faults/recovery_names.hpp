// SPDX-License-Identifier: Apache-2.0
// Recovery actions as the kernel module names them in the line of an Xid 154.
#pragma once

#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {

inline const char* name_of_recovery(std::uint32_t action) {
  switch (action) {
    case kNoRecovery:
      return "None";
    case kResetGpu:
      return "GPU Reset Required";
    case kRebootNode:
      return "Node Reboot Required";
    case kDrainP2p:
      return "Drain P2P";
    case kDrainAndReset:
      return "Drain and Reset";
    default:
      return "Unknown";
  }
}

}  // namespace nvmlab
