// SPDX-License-Identifier: Apache-2.0
// A machine of one GPU that has MIG, in memory, and what tests of MIG ask of it.
#pragma once

#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/mig/compute_profiles.hpp"
#include "tests/unit/mig/board_cases.hpp"

namespace nvmlab::mig_test {

class MigMachine {
 public:
  MigMachine(const std::string& inherits, std::uint32_t missing, bool administrator = true);

  template <class Body>
  Applied change(const Body& body) {
    return apply(target_, make_change(0, body));
  }
  template <class Body>
  Code make(const Body& body) {
    return change(body).code;
  }

  const Gpu& gpu() const {
    const GpuSlot& slot = store().gpus()[0];
    return slot.copies[slot.sequence & 1];
  }
  MigBoard board() const { return read_board(gpu().mig); }
  MigLayout layout() const { return read_layout(gpu().instances); }
  Store& store() const { return *reinterpret_cast<Store*>(memory_.get()); }

 private:
  struct alignas(64) Block {
    std::byte bytes[64];
  };
  std::unique_ptr<Block[]> memory_;
  StoreFile file_;
  MachineAccess target_;
};

// Lines of a table in this folder, cut at tabs, without comments and the heading.
std::vector<std::vector<std::string>> table(const std::string& name);
std::vector<std::uint32_t> numbers(const std::string& list);

}  // namespace nvmlab::mig_test
