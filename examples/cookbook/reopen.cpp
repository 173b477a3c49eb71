// SPDX-License-Identifier: Apache-2.0
// A monitor that outlives the driver: when it is unloaded or a GPU vanishes, NVML is opened anew, until it answers
// again. reopen ROUNDS MILLISECONDS: so many rounds, with a pause between them.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <optional>
#include <thread>

namespace {

// What only another nvmlInit can mend.
bool is_gone(const nvml::Error& error) {
  const nvml::Return code = error.code();
  return code == nvml::Return::driver_not_loaded || code == nvml::Return::uninitialized ||
         code == nvml::Return::gpu_is_lost;
}

// The number of GPUs that answer; nothing where NVML has to be opened anew. A driver that was unloaded has no GPUs
// left.
std::optional<unsigned> look(const nvml::Library& library) {
  const auto devices = library.devices();
  if (devices.empty()) return std::nullopt;
  unsigned good = 0;
  for (const nvml::Device& device : devices) {
    const auto power = device.power_usage();
    if (power) {
      ++good;
    } else if (is_gone(power.error())) {
      return std::nullopt;
    }
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  const int pause = argc > 2 ? std::atoi(argv[2]) : 1000;
  std::optional<nvml::Library> library;
  for (int round = 0; round < rounds; ++round) {
    if (round > 0) std::this_thread::sleep_for(std::chrono::milliseconds(pause));
    if (!library) {
      auto opened = nvml::Library::open();
      if (!opened) {
        std::cout << "no NVML: " << std::error_code{opened.error()}.message() << std::endl;
        continue;
      }
      library = *opened;
    }
    if (const auto good = look(*library)) {
      std::cout << *good << " GPUs" << std::endl;
    } else {
      std::cout << "NVML is opened anew" << std::endl;
      library.reset();  // shut down and closed: nobody else holds it
    }
  }
}
