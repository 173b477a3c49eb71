// SPDX-License-Identifier: Apache-2.0
//
// Arguments that a careful caller could pass to a function: handles of a real GPU, guarded memory of the exact size
// behind every pointer (one item of each array), lengths that fit, version words that are right.
#pragma once

#include <array>
#include <vector>

#include "tests/drivers/functions/support/api.hpp"
#include "tests/drivers/functions/support/driver.hpp"
#include "tests/drivers/functions/support/guarded.hpp"

namespace nvmlab::driver_test {

// What callers of old layouts allocate, where the newest header only knows a longer struct: nvml-api.md, 3.1.
std::size_t allocated_size(const FunctionFacts& function, const ParameterFacts& parameter);

inline constexpr std::size_t kTextSize = 96;

class Arguments {
 public:
  // `device` goes wherever a function takes a GPU.
  Arguments(const FunctionFacts& function, Word device);

  std::array<Word, kMaxWords> words{};

  int call() const;
  // Fills all memory anew; call it after a change that the function made.
  void reset();
  GuardedPage& memory(std::size_t parameter) { return pages_.at(parameter); }
  bool changed() const;
  // Whether anything changed that is not a count.
  bool changed_beyond_counts() const;

 private:
  void fill(std::size_t parameter);

  const FunctionFacts& function_;
  Word device_;
  std::vector<GuardedPage> pages_;  // one for each parameter, used by pointers
};

}  // namespace nvmlab::driver_test
