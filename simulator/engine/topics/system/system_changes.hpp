// SPDX-License-Identifier: Apache-2.0
//
// What is set for the whole machine. The rules of confidential computing are those of NVIDIA's open kernel modules:
// GPUs that accepted work and were told to stop never accept any again, and keys can be arranged only before. Tests:
// tests/drivers/functions/confcompute_test.cpp, nvlink_test.cpp, unit_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct SetGpusReady {
  std::uint32_t accepting_work;
};

struct SetKeyRotationAdvantage {
  std::uint64_t exponent;  // of two
};

// Modes of nvmlSystemSetNvlinkBwMode: full, off, min, half, three quarters.
struct SetSystemNvlinkBandwidthMode {
  std::uint32_t mode;
};

// All units of a machine show the same colour.
struct SetUnitLights {
  std::uint32_t color;
};

Code make(const SetGpusReady& change, NodeEdit& node);
Code make(const SetKeyRotationAdvantage& change, NodeEdit& node);
Code make(const SetSystemNvlinkBandwidthMode& change, NodeEdit& node);
Code make(const SetUnitLights& change, NodeEdit& node);

}  // namespace nvmlab
