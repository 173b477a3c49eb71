// SPDX-License-Identifier: Apache-2.0
// Options of a load or a link that we heed: where logs go, whether they are to say more, registers. Tests:
// tests/drivers/cuda/links_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi.hpp"

namespace nvmlab::cuda {

// Sizes are those of buffers before, and of what was written afterwards; values of options are numbers in the place of
// pointers. What is said twice stands one behind the other.
class JitOptions {
 public:
  // False: the options are not there, though some were announced.
  bool read(unsigned count, const CUjit_option* options, void** values);
  // Puts a line into the log for errors, or the one for information, as the code says.
  void tell(CUresult code, const char* message);
  bool verbose() const { return verbose_; }
  // Of a thread; 0: any number.
  std::uint32_t most_registers() const { return most_registers_; }

 private:
  struct Log {
    char* text;
    std::uint64_t room;
    std::uint64_t used;
    void** size;  // where its size is told
  };
  static void add(Log& log, const char* message);

  Log info_{};
  Log error_{};
  bool verbose_ = false;
  std::uint32_t most_registers_ = 0;
};

}  // namespace nvmlab::cuda
