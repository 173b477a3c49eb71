// SPDX-License-Identifier: Apache-2.0
//
// What a GPU forgets and what comes into force when it starts over. Two occasions: a reset (nvidia-smi -r), and its
// initialisation by the driver after it was removed and found again, which also loses what the driver kept for it.
// Whatever is stored on the board (InfoROM) survives both. Tests: tests/drivers/functions/reset_test.cpp,
// drain_test.cpp.
#pragma once

#include <cstdint>

#include "engine/topics/generated/state.hpp"

namespace nvmlab {

void reset_gpu(Gpu& gpu, std::uint64_t now_us);
void initialise_gpu(Gpu& gpu, std::uint64_t now_us);

}  // namespace nvmlab
