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
  for (auto&& device : library->devices())
    std::cout << device.uuid().value_or("N/A") << '\n';
}
