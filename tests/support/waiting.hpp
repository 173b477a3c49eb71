// SPDX-License-Identifier: Apache-2.0
//
// How tests wait: for what they want to see, however long a busy machine takes for it. No test depends on an event
// within a time; a deadline only ends a test that would never end. Scripts use tests/support/waiting.sh.
// tests/deadlines.tsv lists every place that names a time; `scripts/deadlines` checks the list.
// Test: tests/support/waiting_test.cpp.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

namespace nvmlab::test {

// A test that is not finished by then has failed. Tests of calls with a time limit of their own pass the same limit.
inline constexpr std::chrono::seconds kDeadline{300};
inline constexpr unsigned kDeadlineMs = 300'000;

// Returns true as soon as `happened()` does, and false after the deadline.
template <class Condition>
bool eventually(const Condition& happened) {
  const auto end = std::chrono::steady_clock::now() + kDeadline;
  while (!happened()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Returns the real time that `call()` took, for the one comparison that holds on every machine: at least so long.
template <class Call>
std::chrono::nanoseconds elapsed(const Call& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::steady_clock::now() - begin;
}

// Returns true if the kernel shows that the thread waits for something, such as a futex, a lock or input.
inline bool is_blocked(pid_t thread) {
  std::ifstream file("/proc/" + std::to_string(thread) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const auto name_end = stat.rfind(") ");
  return name_end != std::string::npos && stat[name_end + 2] == 'S';
}

// Waits until the thread (of any process) is blocked in what it called; false after the deadline.
inline bool becomes_blocked(pid_t thread) {
  return eventually([thread] { return is_blocked(thread); });
}

// A thread that calls something that blocks it.
class BlockingCall {
 public:
  template <class Body>
  explicit BlockingCall(Body body)
      : thread_([this, body = std::move(body)] {
          id_ = ::gettid();
          body();
        }) {}
  BlockingCall(const BlockingCall&) = delete;
  BlockingCall& operator=(const BlockingCall&) = delete;

  // Waits until the call blocks; false after the deadline.
  [[nodiscard]] bool becomes_blocked() const {
    return eventually([this] { return id_ != 0 && is_blocked(id_); });
  }
  [[nodiscard]] pid_t id() const { return id_; }
  [[nodiscard]] std::thread::native_handle_type native_handle() { return thread_.native_handle(); }
  void join() { thread_.join(); }

 private:
  std::atomic<pid_t> id_ = 0;
  std::thread thread_;
};

}  // namespace nvmlab::test
