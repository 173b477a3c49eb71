// SPDX-License-Identifier: Apache-2.0
//
// A forked copy of the test that runs one function and exits with what it returns, for tests of what processes do to
// one another. A child that is still there at the end of the scope is killed.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>

namespace nvmlab::test {

class Child {
 public:
  explicit Child(const std::function<int()>& body);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  // Exit code; 128 + number when a signal ended it; -1 when it did not end in time.
  int wait(std::chrono::milliseconds limit = std::chrono::seconds(30));
  void kill();  // SIGKILL, and waits

 private:
  pid_t pid_;
};

// Memory that parent and children share, zeroed, gone with the test program.
void* shared_memory(std::size_t size);

}  // namespace nvmlab::test
