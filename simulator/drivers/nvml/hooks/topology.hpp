// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/store/store.hpp"

namespace nvmlab::driver {

std::uint32_t nvlinks_between_slots(const GpuSlot& a, const GpuSlot& b);

}  // namespace nvmlab::driver
