// SPDX-License-Identifier: Apache-2.0
// How much stack a call takes: it runs on a stack of its own that was painted before, and the paint that is gone tells.
#pragma once

#include <cstdint>
#include <functional>

namespace nvmlab::bench {

// In bytes, without what getting there takes. At most 256 KiB: a call that takes more does not return.
std::uint64_t stack_of(const std::function<void()>& call);

}  // namespace nvmlab::bench
