// SPDX-License-Identifier: Apache-2.0
// threads [READINGS]: a thread for each GPU reads its power so many times, all through one library; another one asks
// for what all of them have in common. Nothing is locked: objects of the binding are copied, and NVML is thread-safe.
#include <cstdlib>
#include <future>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <vector>

namespace {

struct Count {
  long readings = 0;
  long errors = 0;
};

Count ask(const nvml::Device& device, long readings) {
  Count count;
  for (; count.readings + count.errors < readings;)
    ++(device.power_usage() ? count.readings : count.errors);
  return count;
}

}  // namespace

int main(int argc, char** argv) {
  const long readings = argc > 1 ? std::atol(argv[1]) : 1000;
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::vector<std::future<Count>> counts;
  for (const auto& device : library->devices())
    counts.push_back(std::async(std::launch::async, ask, device, readings));
  auto version = std::async(std::launch::async, [library = *library] { return library.driver_version(); });
  for (unsigned gpu = 0; auto& count : counts) {
    const auto [good, bad] = count.get();
    std::cout << "GPU " << gpu++ << ": " << good << " readings, " << bad << " errors\n";
  }
  std::cout << "driver " << version.get().value_or("N/A") << '\n';
}
