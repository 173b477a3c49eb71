// SPDX-License-Identifier: Apache-2.0
// The binding as a module, beside a header of the standard library.
#include <cstdio>

import nvmlab.nvml;

int main() {
  const nvml::Result<nvml::Library> library = nvml::Library::open();
  if (!library) {
    std::puts(library.error().message().c_str());
    return library.error().origin() == nvml::Origin::loader ? 1 : 2;
  }
  const auto devices = library->devices();
  if (devices.empty()) return 3;
  std::printf("%zu GPUs, the first is %s, of at least %u mW\n", devices.size(),
              devices[0].name().value_or("N/A").c_str(), nvml::Milliwatts{5}.count());
}
