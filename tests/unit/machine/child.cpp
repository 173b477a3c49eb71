// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/machine/child.hpp"
#include "tests/support/waiting.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace nvmlab::test {

Child::Child(const std::function<int()>& body) : pid_(::fork()) {
  if (pid_ == 0) ::_exit(body());
}

Child::~Child() { kill(); }

int Child::wait() {
  int status = 0;
  if (pid_ <= 0 || !eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
  pid_ = -1;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Child::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

void* shared_memory(std::size_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace nvmlab::test
