// SPDX-License-Identifier: Apache-2.0
// The UUID of every GPU, or why there is none.
#include <iostream>
#include <nvmlab/nvml.hpp>

int main() {
  auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  for (auto&& device : library->devices()) {
    const auto uuid = device.uuid();
    std::cout << (uuid ? *uuid : uuid.error().message()) << '\n';  // of a lost GPU: why it has none
  }
}
