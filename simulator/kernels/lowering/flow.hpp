// SPDX-License-Identifier: Apache-2.0
//
// The order in which the instructions of a function are laid out. A block stands before those that post-dominate it, so
// that lanes which parted wait for the others at the immediate post-dominator of the branch, at the latest
// (run/warp.hpp). Tests: tests/unit/kernels/flow_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace nvmlab::kernels {

// Blocks by number, the first is the entry; successors of each. Gives the numbers of those that can be reached, in
// order.
std::vector<std::uint32_t> order_of(const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace nvmlab::kernels
