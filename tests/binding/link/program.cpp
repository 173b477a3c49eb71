// SPDX-License-Identifier: Apache-2.0
// Starts, opens a library, and says how that went: "8 GPUs", or the error. Built in every mode of
// tests/binding/link/modes.
#include <cstdio>
#include <nvmlab/nvml.hpp>

int main() {
  const auto library = nvml::Library::open();
  if (!library) {
    const auto& error = library.error();
    const std::string detail{error.detail()};
    std::printf("code %u, origin %s\n%s\n", static_cast<unsigned>(error.code()),
                error.origin() == nvml::Origin::loader ? "loader" : "other", detail.c_str());
    return 3;
  }
  // A function that a driver of today does not have is an error, and not the end of the program.
  unsigned count = 0;
  const auto counted = nvml::detail::call<&nvml::Functions::nvmlDeviceGetCount_v2>(*library->library(), &count);
  const auto old =
      nvml::detail::call<&nvml::Functions::nvmlDeviceCcuGetStreamState>(*library->library(), nullptr, nullptr);
  std::printf("%u GPUs, %s\n", counted ? count : 0U, old ? "CCU" : old.error().message().c_str());
  return 0;
}
