// SPDX-License-Identifier: Apache-2.0
// A machine of one's own, in C++ from its beginning to its end: changes, waiting, events, time, snapshots and what
// differs between them. No NVML is called; programs that run with NVMLAB_MACHINE=NAME see all of it.
#include "control/machine.hpp"

#include <unistd.h>

#include <chrono>
#include <expected>
#include <iostream>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Result = std::expected<void, std::string>;

std::unexpected<std::string> refused(const nvmlab::Refusal& refusal) { return std::unexpected(refusal.text); }

// Two changes at once, of which both are made or none.
Result lower_limits(nvmlab::Machine& machine) {
  using nvmlab::PowerScope;
  const nvmlab::Change changes[] = {
      nvmlab::make_change(0, nvmlab::SetPowerLimit{PowerScope::gpu, 400'000}),
      nvmlab::make_change(1, nvmlab::SetPowerLimit{PowerScope::gpu, 500'000}),
  };
  if (const auto made = machine.apply(changes); !made) return refused(made.error());
  const auto limit = machine.get("power.limit_mw", 1);
  if (!limit) return std::unexpected(limit.error());
  std::cout << "the limit of GPU 1 is " << *limit << " mW\n";
  return {};
}

// Somebody heats a GPU until it falls off the bus, while this thread sleeps.
Result wait_for_trouble(nvmlab::Machine& machine) {
  auto events = machine.events();
  std::jthread somebody([&machine] {
    const auto set = machine.set("thermal.gpu_c", "91", 1);
    const nvmlab::InjectFault off_the_bus{nvmlab::FaultKind::xid, 79, nvmlab::kNoInstance, nvmlab::kNoInstance, 1};
    const auto failed = machine.apply(nvmlab::make_change(1, off_the_bus));
    if (!set || !failed) std::cerr << "the machine refused it\n";
  });
  const auto hot = [&machine] { return machine.get("thermal.gpu_c", 1) == "91"; };
  if (!machine.wait_until(hot, 10s)) return std::unexpected("it never became hot");
  const auto event = events.next(10s);
  if (!event) return std::unexpected("no event came");
  std::cout << "GPU " << event->gpu << " is hot and told of Xid " << event->data << '\n';
  return {};
}

Result compare(nvmlab::Machine& machine, const nvmlab::control::Snapshot& before) {
  const auto changed = machine.diff(before);
  if (!changed) return std::unexpected(changed.error());
  for (const auto& each : *changed)
    std::cout << "GPU " << each.gpu.value_or(0) << ": " << each.what << ' ' << each.before << " -> " << each.after
              << '\n';
  if (changed->empty()) std::cout << "nothing differs\n";
  return {};
}

Result use(nvmlab::Machine& machine) {
  const auto before = machine.snapshot();
  if (!before) return std::unexpected(before.error());
  if (const auto done = lower_limits(machine); !done) return done;
  if (const auto done = wait_for_trouble(machine); !done) return done;
  const auto start = machine.clock().now_ns;
  if (const auto passed = machine.advance(1h); !passed) return refused(passed.error());
  std::cout << "the machine is " << (machine.clock().now_ns - start) / 1'000'000'000 << " s older\n";
  if (const auto done = compare(machine, *before); !done) return done;
  if (const auto restored = machine.restore(*before); !restored) return restored;
  return compare(machine, *before);
}

}  // namespace

int main() {
  const nvmlab::MachineOptions options{.profile = "dgx-h100",
                                       .compile = {.gpus = 2, .driver = {}},
                                       .clock = {.mode = nvmlab::ClockMode::virtual_time, .seeded = true, .seed = 7}};
  auto machine = nvmlab::Machine::create("example-" + std::to_string(::getpid()), options);
  if (!machine) {
    for (const std::string& complaint : machine.error())
      std::cerr << complaint << '\n';
    return 1;
  }
  const Result used = use(*machine);
  if (!used) std::cerr << used.error() << '\n';
  const auto down = machine->take_down();
  if (!down) std::cerr << down.error() << '\n';
  return used && down ? 0 : 1;
}
