// SPDX-License-Identifier: Apache-2.0
//
// What a call costs without a clock: how many instructions of the library it takes, by single steps of a child. What
// others execute meanwhile (the C library, the kernel's clock) is not counted.
#pragma once

#include <cstdint>
#include <functional>

namespace nvmlab::driver_test {

// 0 where it cannot be told: on another processor than x86-64, or where nobody may trace.
std::uint64_t instructions_of(const std::function<void()>& call);

}  // namespace nvmlab::driver_test
