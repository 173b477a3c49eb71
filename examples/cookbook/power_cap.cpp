// SPDX-License-Identifier: Apache-2.0
// power_cap WATTS [ROUNDS]: a daemon that keeps the GPUs of a node within a budget, a round each second, until it is
// interrupted or has made ROUNDS. It leaves the boards' own limits behind.
#include "power_cap.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <thread>

namespace {
volatile std::sig_atomic_t stop = 0;
}

int main(int argc, char** argv) {
  const unsigned long watts = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  const unsigned long rounds =
      argc > 2 ? std::strtoul(argv[2], nullptr, 10) : std::numeric_limits<unsigned long>::max();
  if (watts == 0 || watts > 1'000'000) {
    std::cerr << "power_cap WATTS [ROUNDS]: WATTS is the budget of all GPUs together\n";
    return 2;
  }
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::signal(SIGINT, [](int) { stop = 1; });
  std::signal(SIGTERM, [](int) { stop = 1; });
  PowerCap cap(*library, nvml::Milliwatts{static_cast<unsigned>(watts * 1000)});
  for (unsigned long round = 0; round < rounds && stop == 0; ++round) {
    if (round > 0) std::this_thread::sleep_for(std::chrono::seconds(1));
    for (const std::string& problem : cap.share_out())
      std::cerr << problem << '\n';
  }
  for (const nvml::Device& device : library->devices()) {
    if (const auto limit = device.power_management_limit()) std::cout << limit->count() / 1000 << " W\n";
  }
  cap.restore();
}
