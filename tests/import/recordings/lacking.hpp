// SPDX-License-Identifier: Apache-2.0
//
// What a driver does not have by which a newer one tells of a machine.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "import/recording/recording.hpp"

namespace nvmlab::test {

// What the driver of a recording lacks. The recording must outlive it.
struct Lacking {
  explicit Lacking(const recording::Recording& recording);

  // Whether none of the functions and ids that could tell the leaf is there.
  bool tells_nothing_of(std::string_view leaf) const;
  // Whether the driver does not have the function, or its struct not yet the member.
  bool output(std::string_view function, std::string_view output) const;
  // Why the driver has no number for what the leaf is of; empty where it has one.
  std::string_view beyond_its_numbers(std::string_view leaf) const;
  // A copy for one GPU, which may keep no account of its processes and may be cut by MIG.
  Lacking of_gpu(bool accounts_are_kept, bool is_cut) const;

  std::set<std::string, std::less<>> functions;
  std::set<std::string, std::less<>> metrics;                          // of GPM that it has
  std::map<std::string, const recording::Call*, std::less<>> answers;  // one of each function that succeeded
  std::uint32_t driver = 0;
  bool accounting = true;
  bool cut = false;  // the GPU, by MIG
};

}  // namespace nvmlab::test
