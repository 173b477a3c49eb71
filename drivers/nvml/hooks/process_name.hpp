// SPDX-License-Identifier: Apache-2.0
//
// What a process is called: as the profile says, else as the system does, which knows those that run.
// Tests: tests/drivers/functions/slots_test.cpp, tests/clients/smi_other_driver_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

using ProcessName = decltype(Processes::Process::name);

// The first word of /proc/PID/cmdline; false when there is no such process.
bool find_running_command(std::uint32_t pid, ProcessName* name);

// That of the profile, on whichever GPU it lists the process, else the running command.
bool find_process_name(const Store& store, std::uint32_t pid, ProcessName* name);

}  // namespace nvmlab::driver
