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
  unsigned count = 0;
  if (library->functions().nvmlDeviceGetCount_v2(&count) != nvml::abi::NVML_SUCCESS) return 3;
  std::printf("%u GPUs, %u mW\n", count, nvml::Milliwatts{5}.count());
}
