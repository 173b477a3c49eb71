// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/process_name.hpp"

#include <fcntl.h>
#include <cstring>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/process_sight.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

// What the machine says of the processes of that pid, the more the better. One that has ended is simulated, too: a
// process of this computer that happens to have its number is another.
enum class Listed : std::uint32_t { nowhere, simulated, real, named };

bool has_ended(const Gpu& gpu, std::uint32_t pid) {
  return visit_until(gpu.accounting.ended, [pid](const auto& process) { return load(process.pid).value_or(0) == pid; });
}

Listed find_listed_name(const Store& store, std::uint32_t pid, ProcessName* name) {
  Listed best = Listed::nowhere;
  for (const GpuSlot& slot : VisibleGpus{store}) {
    const ProcessSight sight(slot);
    const Listed here = consistent(slot, [&](const Gpu& gpu) {
      Listed found = Listed::nowhere;
      visit_until(gpu.processes.running, [&](const Processes::Process& process) {
        std::uint32_t shown = load(process.pid).value_or(0);
        sight.renames(process, &shown);
        if (shown != pid || !sight.names(process)) return false;
        load_into(*name, process.name);
        const Listed known = is_real(process) ? Listed::real : Listed::simulated;
        found = name->has_value() ? Listed::named : found > known ? found : known;
        return found == Listed::named;
      });
      if (found == Listed::nowhere && has_ended(gpu, pid)) found = Listed::simulated;
      return found;
    });
    if (here > best) best = here;
    if (best == Listed::named) break;
  }
  return best;
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
  const Listed listed = find_listed_name(store, pid, name);
  return listed == Listed::named || (listed != Listed::simulated && find_running_command(pid, name));
}

}  // namespace nvmlab::driver
