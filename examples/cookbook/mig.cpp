// SPDX-License-Identifier: Apache-2.0
// The MIG devices of each GPU, and which instances they lie in.
#include <iostream>
#include <nvmlab/nvml.hpp>

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  for (const auto& device : library->devices()) {
    std::cout << device.uuid().value_or("a GPU") << ": MIG ";
    if (const auto mode = device.mig_mode()) {
      std::cout << (mode->current ? "enabled" : "disabled") << '\n';
    } else {
      std::cout << std::error_code{mode.error()}.message() << '\n';  // Not Supported: this GPU cannot be divided
    }
    for (const nvml::MigDevice& mig : device.mig_devices()) {
      const auto memory = mig.memory_info();
      std::cout << "  " << mig.uuid().value_or("N/A") << ": GPU instance " << mig.gpu_instance_id().value_or(0)
                << ", compute instance " << mig.compute_instance_id().value_or(0);
      if (memory) std::cout << ", " << nvml::quantity_cast<nvml::Mebibytes>(memory->total).count() << " MiB";
      std::cout << '\n';
    }
  }
}
