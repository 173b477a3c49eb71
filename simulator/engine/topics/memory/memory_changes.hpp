// SPDX-License-Identifier: Apache-2.0
// Frame buffer limits of control groups. Tests: tests/drivers/functions/board_settings_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// A group has no limit until one is set. No soft limit and the highest hard one take the group's limit away.
struct SetMemoryLimit {
  std::uint64_t soft_bytes;
  std::uint64_t hard_bytes;
  char cgroup[256];
};

inline constexpr std::uint64_t kNoHardLimit = ~std::uint64_t{0};

Code make(const SetMemoryLimit& change, GpuEdit& gpu);

// Whether groups can be limited: kSuccess, or why not.
Code check_memory_limits(const Memory& memory);

// The position of the group's limit, or the length of the list.
std::uint32_t position_of_limit(const Memory& memory, const char* cgroup);

}  // namespace nvmlab
