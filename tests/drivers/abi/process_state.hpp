// SPDX-License-Identifier: Apache-2.0
//
// What a library could change in the process that loads it, as seen by the kernel: mappings, open files, threads,
// signal handlers. Two of these, taken before and after, are compared with ==.
#pragma once

#include <csignal>
#include <string>
#include <vector>

namespace nvmlab::abi_test {

struct ProcessState {
  std::vector<std::string> mappings;    // lines of /proc/self/maps
  std::vector<std::string> open_files;  // "3 -> /path"
  unsigned threads = 0;
  std::vector<std::string> signal_handlers;  // one line a signal: handler address, flags, mask
  std::string blocked_signals;

  static ProcessState now();

  // The heap and the stack grow by the test's own work; the driver imports nothing that could grow them (needs_test).
  std::vector<std::string> mappings_without_heap() const;
};

}  // namespace nvmlab::abi_test
