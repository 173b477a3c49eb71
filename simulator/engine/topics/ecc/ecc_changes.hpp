// SPDX-License-Identifier: Apache-2.0
// Clearing error counters. Tests: tests/drivers/functions/ecc_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

struct ClearEccCounts {
  enum class Life : std::uint32_t { volatile_counts, aggregate_counts };
  Life life;
};

Code make(const ClearEccCounts& change, GpuEdit& gpu);

}  // namespace nvmlab
