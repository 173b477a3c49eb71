// SPDX-License-Identifier: Apache-2.0
//
// What a process is called: as the machine says, else as the system does, which knows those that run. A process that
// only the machine knows has no name there: one that has its number by chance is another.
// Tests: tests/drivers/functions/processes_test.cpp, slots_test.cpp, tests/clients/smi_other_driver_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

using ProcessName = decltype(Processes::Process::name);

// Whether it runs here, or in a container, and is followed (engine/store/real_process.hpp).
inline bool is_real(const Processes::Process& listed) { return load(listed.start_ticks).has_value(); }

// The first word of /proc/PID/cmdline; false when there is no such process.
bool find_running_command(std::uint32_t pid, ProcessName* name);

// That of the machine, on whichever GPU it lists the process, else the running command, of what it does not list or
// follows.
bool find_process_name(const Store& store, std::uint32_t pid, ProcessName* name);

}  // namespace nvmlab::driver
