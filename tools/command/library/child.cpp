// SPDX-License-Identifier: Apache-2.0
#include "command/library/child.hpp"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>

#include "command/cli/output.hpp"

namespace nvmlab::tool {
namespace {

constexpr int kPassedOn[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

}  // namespace

HeldSignals::HeldSignals() {
  ::sigemptyset(&held_);
  for (const int number : kPassedOn)
    ::sigaddset(&held_, number);
  ::sigaddset(&held_, SIGCHLD);
  // Whoever started this program may have set it to ignore children, and then none is to be waited for.
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(SIGCHLD, &standard, &children_before_);
  ::sigprocmask(SIG_BLOCK, &held_, &before_);
}

HeldSignals::~HeldSignals() {
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  ::sigaction(SIGCHLD, &children_before_, nullptr);
}

int HeldSignals::run_child(const std::function<int()>& become) const {
  if (!finish_output()) return -EIO;  // else the child would print it again
  const pid_t self = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) return -errno;
  if (child > 0) return pass_on_until_end(child);
  // Killed like this program itself, which nothing can pass on.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != self) ::_exit(kFailed);
  ::sigaction(SIGCHLD, &children_before_, nullptr);
  ::sigprocmask(SIG_SETMASK, &before_, nullptr);
  const int code = become();
  (void)finish_output();
  ::_exit(code);
}

bool HeldSignals::one_waits() {
  sigset_t waiting{};
  ::sigpending(&waiting);
  return std::ranges::any_of(kPassedOn, [&waiting](int number) { return ::sigismember(&waiting, number) == 1; });
}

bool HeldSignals::sleep(std::uint64_t ns) const {
  constexpr std::uint64_t kSecondNs = 1'000'000'000;
  sigset_t ending = held_;
  ::sigdelset(&ending, SIGCHLD);
  const timespec span{static_cast<std::time_t>(ns / kSecondNs), static_cast<long>(ns % kSecondNs)};
  const int number = ::sigtimedwait(&ending, nullptr, &span);
  if (number > 0) ::raise(number);  // it goes on waiting
  return number > 0;
}

int HeldSignals::pass_on_until_end(int child) const {
  for (;;) {
    siginfo_t about{};
    const int number = ::sigwaitinfo(&held_, &about);
    int status = 0;
    if (number < 0 || number == SIGCHLD) {
      if (::waitpid(child, &status, WNOHANG) == child) return status;
    } else if (about.si_code != SI_KERNEL) {  // what the terminal sends, it sends to all in its foreground
      ::kill(child, number);
    }
  }
}

int end_as(int wait_status) {
  if (WIFEXITED(wait_status)) return WEXITSTATUS(wait_status);
  const int number = WTERMSIG(wait_status);
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);  // the child has left one where it should
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  ::sigaction(number, &standard, nullptr);
  sigset_t only{};
  ::sigemptyset(&only);
  ::sigaddset(&only, number);
  ::sigprocmask(SIG_UNBLOCK, &only, nullptr);
  ::raise(number);
  constexpr int kSignalled = 128;
  return kSignalled + number;
}

}  // namespace nvmlab::tool
