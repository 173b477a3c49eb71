// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/process_name.hpp"

#include <fcntl.h>
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/process_sight.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {
namespace {

bool find_listed_name(const Store& store, std::uint32_t pid, ProcessName* name) {
  for (const GpuSlot& slot : VisibleGpus{store}) {
    const ProcessSight sight(slot);
    const bool found = consistent(slot, [&](const Gpu& gpu) {
      return visit_until(gpu.processes.running, [&](const Processes::Process& process) {
        std::uint32_t shown = load(process.pid).value_or(0);
        sight.renames(process, &shown);
        if (shown != pid || !sight.names(process)) return false;
        load_into(*name, process.name);
        return name->has_value();
      });
    });
    if (found) return true;
  }
  return false;
}

}  // namespace

bool find_running_command(std::uint32_t pid, ProcessName* name) {
  Line path;
  path << "/proc/" << std::uint64_t{pid} << "/cmdline";
  const int fd = sys::open_file(path.text(), O_RDONLY, 0);
  if (fd < 0) return false;
  char command[ProcessName::capacity];
  const std::int64_t size = sys::read_file(fd, command, sizeof command - 1);
  sys::close_file(fd);
  command[size > 0 ? size : 0] = '\0';
  return name->set(command, static_cast<std::uint32_t>(std::strlen(command)));
}

bool find_process_name(const Store& store, std::uint32_t pid, ProcessName* name) {
  return find_listed_name(store, pid, name) || find_running_command(pid, name);
}

}  // namespace nvmlab::driver
