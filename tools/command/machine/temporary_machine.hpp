// SPDX-License-Identifier: Apache-2.0
//
// A machine that is up as long as this program has it: for `nvmlab run --share` and `nvmlab play`. Without a name it
// gets one of its own, run-0123456789abcdef; such a machine of a program that was killed is swept away by the next
// `nvmlab up` or `run`. Tests: tests/command/run_share_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "engine/store/image.hpp"
#include "command/cli/output.hpp"
#include "command/machine/machines.hpp"

namespace nvmlab::tool {

class TemporaryMachine {
 public:
  static std::expected<TemporaryMachine, Complaints> bring_up(const std::optional<std::string>& name,
                                                              const Image& image, const ClockBeginning& beginning);
  // One that nobody is to name. What follows from a name and a seed follows from `alias`: the same in every run.
  static std::expected<TemporaryMachine, Complaints> bring_up_as(const std::string& alias, const Image& image,
                                                                 const ClockBeginning& beginning);
  ~TemporaryMachine();
  TemporaryMachine(TemporaryMachine&& other) noexcept;
  TemporaryMachine(const TemporaryMachine&) = delete;
  TemporaryMachine& operator=(const TemporaryMachine&) = delete;
  TemporaryMachine& operator=(TemporaryMachine&&) = delete;

  const std::string& name() const { return name_; }
  Machine& machine() { return machine_; }

  // Unless somebody else has done so already; says itself what went wrong.
  void take_down();

 private:
  static std::expected<TemporaryMachine, Complaints> open_created(std::expected<std::string, Complaints> created);
  TemporaryMachine(std::string name, Machine machine, int lock)
      : name_(std::move(name)), machine_(std::move(machine)), lock_(lock) {}

  std::string name_;
  Machine machine_;
  int lock_;  // a descriptor: while it is open, the machine is no remainder
};

}  // namespace nvmlab::tool
