// SPDX-License-Identifier: Apache-2.0
// What to say where a machine does not take a change. Tests: tests/command/get_set_test.cpp.
#pragma once

#include <string>

#include "engine/change/change.hpp"

namespace nvmlab::control {

// `what` was to be changed. Of codes that come from the lock, not_locked().
std::string refusal(Code code, const Change& change, const std::string& what);

// Of WriteLock::code(), or of a machine that went away under the lock.
std::string not_locked(Code code);

std::string no_such_gpu(std::uint32_t gpu, std::uint32_t count);

}  // namespace nvmlab::control
