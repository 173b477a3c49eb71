// SPDX-License-Identifier: Apache-2.0
//
// A forked copy of the test that runs one function and exits with what it returns, for tests of what processes do to
// one another. A child that is still there at the end of the scope is killed.
#pragma once

#include <sys/types.h>

#include <functional>

#include "tests/support/waiting.hpp"

namespace nvmlab::test {

class Child {
 public:
  explicit Child(const std::function<int()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Returns the exit code; 128 + the number of the signal that ended it; -1 if it still runs at the deadline.
  int wait();
  [[nodiscard]] bool becomes_blocked() const { return test::becomes_blocked(pid_); }
  void kill();  // SIGKILL, and waits

 private:
  pid_t pid_;
};

// Memory that parent and children share, zeroed, gone with the test program.
void* shared_memory(std::size_t size);

}  // namespace nvmlab::test
