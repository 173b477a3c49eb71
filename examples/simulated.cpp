// SPDX-License-Identifier: Apache-2.0
// A machine of one's own, changed in C++ and read through NVML: `nvmlab run -- simulated`.
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <string>

#include "control/machine.hpp"

namespace {

int fail(const std::string& message) {
  std::cerr << message << '\n';
  return 1;
}

int print_temperatures() {
  const auto library = nvml::Library::open();
  if (!library) return fail(library.error().message());
  for (const auto& device : library->devices()) {
    const auto temperature = device.temperature(nvml::TemperatureSensor::gpu);
    if (!temperature) return fail(temperature.error().message());
    std::cout << temperature->count() << " C\n";
  }
  return 0;
}

int use(nvmlab::Machine& machine) {
  const auto before = machine.snapshot();
  if (!before) return fail(before.error());
  if (const auto set = machine.set("thermal.gpu_c", "91", 1); !set) return fail(set.error());
  if (const int code = print_temperatures(); code != 0) return code;
  const auto changed = machine.diff(*before);
  if (!changed) return fail(changed.error());
  for (const auto& each : *changed)
    std::cout << "GPU " << each.gpu.value_or(0) << ": " << each.what << ' ' << each.before << " -> " << each.after
              << '\n';
  return 0;
}

}  // namespace

int main() {
  const std::string name = "example-" + std::to_string(::getpid());
  auto machine = nvmlab::Machine::create(name, {.profile = "dgx-h100", .compile = {.gpus = 2, .driver = {}}});
  if (!machine) return fail(machine.error().front());
  ::setenv("NVMLAB_MACHINE", name.c_str(), 1);  // the driver reads it when it is initialised
  const int code = use(*machine);
  if (const auto down = machine->take_down(); !down) return fail(down.error());
  return code;
}
