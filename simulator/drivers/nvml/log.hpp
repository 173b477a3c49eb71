// SPDX-License-Identifier: Apache-2.0
//
// What the library says, and when: nothing, unless something that the user configured is wrong (one line on standard
// error) or NVMLAB_LOG asks for more. NVMLAB_LOG is a level (off, error, info, trace), optionally followed by ":FILE".
// NVMLAB_RECORD_CALLS is a file that each call adds a line to, for programs (control/calls.hpp reads it).
#pragma once

#include <cstdint>

#include "drivers/common/line.hpp"
#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

inline constexpr std::uint32_t kLogOff = 0;
inline constexpr std::uint32_t kLogErrors = 1;
inline constexpr std::uint32_t kLogInfo = 2;
inline constexpr std::uint32_t kTraceCalls = 3;

void configure_log(const char* setting);      // the value of NVMLAB_LOG, or null
void configure_records(const char* setting);  // behind it: that of NVMLAB_RECORD_CALLS
void log_error(const Line& line);
void log_info(const Line& line);
void log_trace(const Line& line);  // whoever calls it has looked at the level
void record_call(const Line& line);

// Whether somebody is told of each call.
inline bool calls_are_told() { return __atomic_load_n(&process.trace, __ATOMIC_RELAXED) >= kTraceCalls; }

}  // namespace nvmlab::driver
