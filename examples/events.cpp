// SPDX-License-Identifier: Apache-2.0
// Waits for what happens to the GPUs, for the seconds given (5), and tells of it: XID errors, changes of clocks.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/watch.hpp>
#include <thread>

int main(int argc, char** argv) {
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  std::stop_source stop;
  const std::jthread alarm([&, seconds = argc > 1 ? std::atoi(argv[1]) : 5] {
    std::this_thread::sleep_for(std::chrono::seconds{seconds});
    stop.request_stop();
  });

  int events = 0;
  const auto seen = [&](const nvml::Event& event) {
    ++events;
    std::cout << event.device.uuid().value_or("a GPU");
    if (event.xid) std::cout << ": XID " << static_cast<std::uint64_t>(*event.xid);
    std::cout << '\n';
  };
  const auto refused = [](const nvml::Device&, const nvml::Error& error) {
    std::cerr << "not watched: " << error << '\n';
  };
  const auto watched =
      nvml::watch(*library, library->devices(), nvml::EventType::xid_critical_error | nvml::EventType::clock,
                  stop.get_token(), seen, refused);
  if (!watched) {
    std::cerr << watched.error().message() << '\n';
    return 1;
  }
  std::cout << events << " events\n";
}
