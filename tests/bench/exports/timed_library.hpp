// SPDX-License-Identifier: Apache-2.0
//
// A library whose functions measure themselves: to the recorder's walk it looks like the driver, and each call that
// succeeds is made again and again to learn what it costs and how much stack it takes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "recorder/library.hpp"

namespace nvmlab::bench {

struct Cost {
  double ns = 0;            // of the dearest call that succeeded; of a function that never did, of its refusal
  std::uint64_t stack = 0;  // bytes, the most that any call took
  int code = 0;             // of the call that `ns` is of
  std::uint64_t calls = 0;  // with different arguments
};

// One at a time: a function by its address has no object to go to.
class TimedLibrary final : public recorder::Library {
 public:
  explicit TimedLibrary(const std::string& path);  // throws where it cannot be opened
  ~TimedLibrary() override;
  TimedLibrary(const TimedLibrary&) = delete;
  TimedLibrary& operator=(const TimedLibrary&) = delete;

  void* address(const char* name) const override;

  const std::map<std::string, Cost>& costs() const { return costs_; }

  // What a function that does nothing costs, called in the same way.
  static Cost empty_call();

 private:
  static int measured(recorder::Word, recorder::Word, recorder::Word, recorder::Word, recorder::Word, recorder::Word);

  void* handle_ = nullptr;
  mutable std::string name_;  // of the function that is called next
  mutable void* called_ = nullptr;
  std::map<std::string, Cost> costs_;
};

}  // namespace nvmlab::bench
