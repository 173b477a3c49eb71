// SPDX-License-Identifier: Apache-2.0
// The smallest program on the binding: the UUID of every GPU, or why there is none.
#include <iostream>
#include <nvmlab/nvml.hpp>

int main() {
  auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  const nvml::Functions& c = library->functions();
  unsigned count = 0;
  c.nvmlDeviceGetCount_v2(&count);
  for (unsigned i = 0; i < count; ++i) {
    nvml::abi::nvmlDevice_t device{};
    char uuid[96] = "N/A";
    if (c.nvmlDeviceGetHandleByIndex_v2(i, &device) == 0) c.nvmlDeviceGetUUID(device, uuid, sizeof uuid);
    std::cout << uuid << '\n';
  }
}
