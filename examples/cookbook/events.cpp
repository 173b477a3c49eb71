// SPDX-License-Identifier: Apache-2.0
// events [COUNT]: tells of each XID error of the GPUs, until there were COUNT of them or it is interrupted.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <nvmlab/nvml.hpp>
#include <nvmlab/nvml/watch.hpp>
#include <thread>

int main(int argc, char** argv) {
  const long most = argc > 1 ? std::atol(argv[1]) : std::numeric_limits<long>::max();
  const auto library = nvml::Library::open();
  if (!library) {
    std::cerr << library.error().message() << '\n';
    return 1;
  }
  // A thread takes the signals, so that nothing is done in a handler.
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  sigaddset(&interrupts, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
  std::stop_source stop;
  std::thread([interrupts, stop]() mutable {
    int which = 0;
    sigwait(&interrupts, &which);
    stop.request_stop();
  }).detach();

  const auto devices = library->devices();
  std::cout << "watching " << devices.size() << " GPUs" << std::endl;
  long events = 0;
  const auto seen = [&](const nvml::Event& event) {
    std::cout << event.device.uuid().value_or("a GPU") << ": XID " << static_cast<std::uint64_t>(*event.xid)
              << std::endl;
    if (++events == most) stop.request_stop();
  };
  const auto refused = [](const nvml::Device&, const nvml::Error& error) {
    std::cerr << "not watched: " << error << '\n';
  };
  if (const auto watched =
          nvml::watch(*library, devices, nvml::EventType::xid_critical_error, stop.get_token(), seen, refused);
      !watched) {
    std::cerr << watched.error().message() << '\n';
    return 1;
  }
}
