// SPDX-License-Identifier: Apache-2.0
// A machine of one GPU that has MIG, in memory, and what tests of MIG ask of it.
#pragma once

#include <string>
#include <vector>

#include "engine/machine/change.hpp"
#include "engine/topics/mig/compute_profiles.hpp"

namespace nvmlab::mig_test {

struct BoardCase {
  const char* name;      // of the test
  const char* inherits;  // profiles of profiles/gpus
  const char* geometry;  // of geometries.tsv
  std::uint32_t missing = 14;
};

// Every board with MIG that is shipped or known.
inline constexpr BoardCase kBoards[] = {
    {"a30", "ga100, mig-a30", "a30"},
    {"a100_40gb", "a100-sxm4-40gb", "ga100"},
    {"a100_80gb", "a100-sxm4-80gb", "ga100", 10},
    {"h100_sxm", "h100-sxm5-80gb", "gh100"},
    {"h100_pcie", "hopper, mig-h100-pcie-80gb", "gh100", 10},
    {"h100_94gb", "hopper, mig-h100-94gb", "gh100"},
    {"h200", "hopper, mig-h200", "gh100"},
    {"h20", "hopper, mig-h20", "gh100", 7},
    {"gh200_96gb", "hopper, mig-gh200-96gb", "gh100", 8},
    {"gh200_144gb", "hopper, mig-gh200-144gb", "gh100", 9},
    {"b200", "b200", "gh100", 11},
    {"gb200", "gb200", "gh100", 12},
    {"b300", "gb100, mig-b300", "gh100", 13},
    {"gb300", "gb300", "gh100"},
    {"rtx_pro_6000", "gb100, mig-rtx-pro-6000", "gb202"},
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest finds it by this name
inline void PrintTo(const BoardCase& board, std::ostream* out) { *out << board.name; }

class MigMachine {
 public:
  MigMachine(const std::string& inherits, std::uint32_t missing, bool administrator = true);

  template <class Body>
  Code make(const Body& body) {
    return apply(target_, gpu_change(0, body));
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
