// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kFirstToAnswerBeforeInit = 535;

// "12.550.163.01": the CUDA release and the driver.
nvmlReturn_t give_nvml_version(const Store& store, char* version, unsigned int length) {
  const Text<80> driver = read_field(store.node, &Node::system, &System::driver_version);
  const Fact<std::uint32_t> cuda = read_field(store.node, &Node::system, &System::cuda_version);
  if (!driver.has_value()) return code_of(driver.code());
  Line line;
  line << std::uint64_t{cuda.value_or(0) / 1000} << "." << driver.data;
  return put_text(version, length, line.text());
}

using Name = decltype(Processes::Process::name);

// The command of a process that the profile lists, on whichever GPU.
bool find_listed_name(const Store& store, std::uint32_t pid, Name* name) {
  for (const GpuSlot& slot : VisibleGpus{store}) {
    const bool found = consistent(slot, [=](const Gpu& gpu) {
      return visit_until(gpu.processes.running, [=](const Processes::Process& process) {
        const Fact<std::uint32_t> own = load(process.pid);
        if (!own.has_value() || own.value != pid) return false;
        load_into(*name, process.name);
        return name->has_value();
      });
    });
    if (found) return true;
  }
  return false;
}

// The first word of /proc/PID/cmdline; false when there is no such process.
bool read_command(std::uint32_t pid, char (&command)[256]) {
  Line path;
  path << "/proc/" << std::uint64_t{pid} << "/cmdline";
  const int fd = sys::open_file(path.text(), O_RDONLY, 0);
  if (fd < 0) return false;
  const std::int64_t size = sys::read_file(fd, command, sizeof command - 1);
  sys::close_file(fd);
  command[size > 0 ? size : 0] = '\0';
  return true;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlSystemGetNVMLVersion(char* version, unsigned int length) {
  if (Store* store = current_store()) {
    return version == nullptr ? NVML_ERROR_INVALID_ARGUMENT : give_nvml_version(*store, version, length);
  }
  // Drivers from 535 on know their version before init, and look at the pointer first.
  struct Buffer {
    char* to;
    unsigned int length;
    bool asked;
  } buffer{version, length, false};
  const nvmlReturn_t code = ask_before_init(
      [](const Store& store, void* context) {
        auto& into = *static_cast<Buffer*>(context);
        into.asked = true;
        if (simulated_driver().major < kFirstToAnswerBeforeInit) return NVML_ERROR_UNINITIALIZED;
        return into.to == nullptr ? NVML_ERROR_INVALID_ARGUMENT : give_nvml_version(store, into.to, into.length);
      },
      &buffer);
  return buffer.asked ? code : NVML_ERROR_UNINITIALIZED;
}

nvmlReturn_t nvmlSystemGetProcessName(Store& node, unsigned int pid, char* name, unsigned int length) {
  if (length == 0) return NVML_ERROR_INVALID_ARGUMENT;
  Name listed{};
  char command[256];
  const char* found = command;
  if (find_listed_name(node, pid, &listed)) {
    found = listed.data;
  } else if (!read_command(pid, command)) {
    return NVML_ERROR_NOT_FOUND;
  }
  // This function alone cuts its text to what fits.
  std::size_t size = std::strlen(found);
  if (size >= length) size = length - 1;
  std::memcpy(name, found, size);
  name[size] = '\0';
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
