// SPDX-License-Identifier: Apache-2.0
//
// A machine that runs as long as one program, for `nvmlab run --share` and `nvmlab play`. Without a name it gets one of
// its own, run-0123456789abcdef; sweep_machines_folder() removes such a machine if its program was killed. Tests:
// tests/command/run_share_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "control/machine.hpp"

namespace nvmlab::control {

class TemporaryMachine {
 public:
  static std::expected<TemporaryMachine, Complaints> bring_up(const std::optional<std::string>& name,
                                                              const compiler::Machine& compiled,
                                                              const ClockBeginning& clock);
  // Starts a machine under a name of its own. `alias` takes the place of the name in everything that follows from a
  // name and a seed, so that every run is the same.
  static std::expected<TemporaryMachine, Complaints> bring_up_as(const std::string& alias,
                                                                 const compiler::Machine& compiled,
                                                                 const ClockBeginning& clock);
  ~TemporaryMachine();
  TemporaryMachine(TemporaryMachine&& other) noexcept;
  TemporaryMachine(const TemporaryMachine&) = delete;
  TemporaryMachine& operator=(const TemporaryMachine&) = delete;
  TemporaryMachine& operator=(TemporaryMachine&&) = delete;

  const std::string& name() const { return machine_.name(); }
  Machine& machine() { return machine_; }

  // Does nothing if the machine was taken down before. The error is a sentence.
  std::expected<void, std::string> take_down();

 private:
  static std::expected<TemporaryMachine, Complaints> open_created(std::expected<std::string, std::string> created);
  TemporaryMachine(Machine machine, int lock) : machine_(std::move(machine)), lock_(lock) {}

  Machine machine_;
  int lock_;  // a descriptor: while it is open, sweep_machines_folder() keeps the machine
};

}  // namespace nvmlab::control
