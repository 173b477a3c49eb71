// SPDX-License-Identifier: Apache-2.0
// Which processes compute on which GPU, and how much of its memory they hold.
#include <iostream>
#include <nvmlab/nvml.hpp>

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  for (const auto& device : library->devices()) {
    const auto processes = device.running_compute_processes();
    std::cout << device.name().value_or("a GPU") << ": ";
    if (!processes) {
      std::cout << processes.error().message() << '\n';
      continue;
    }
    std::cout << processes->size() << " processes\n";
    for (const nvml::ProcessInfo& process : *processes) {
      std::cout << "  " << process.pid << ' ' << library->process_name(process.pid).value_or("?");
      // Nothing where the operating system counts the memory and does not tell the driver.
      if (process.used_gpu_memory) {
        std::cout << ' ' << nvml::quantity_cast<nvml::Mebibytes>(*process.used_gpu_memory).count() << " MiB";
      }
      std::cout << '\n';
    }
  }
}
