// SPDX-License-Identifier: Apache-2.0
//
// Waiting for a time of a machine's own clock; a virtual one is advanced to it. Tests: tests/command/play_test.cpp,
// tests/command/trace_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "command/library/child.hpp"
#include "control/machine.hpp"

namespace nvmlab::tool {

// stopped: by a signal, or because the machine was taken down.
enum class Arrival : unsigned char { there, too_late, beyond_the_end, stands, stopped };

// Nanoseconds since 1970.
Arrival wait_until(Machine& machine, const HeldSignals& signals, std::uint64_t due_ns);

// Why it is not there, for a sentence; empty where a signal has stopped it.
std::string why_not_there(Arrival arrival, const Machine& machine);

}  // namespace nvmlab::tool
