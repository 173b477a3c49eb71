// SPDX-License-Identifier: Apache-2.0
// The threads of this library. They start with the first job, block all signals, and sleep between jobs; they are never
// joined, since nothing may wait for them when a process ends. Tests: tests/unit/kernels/pool_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

namespace nvmlab::kernels {

class Pool {
 public:
  // Null where no thread can be started.
  static Pool* get();

  // Calls work() on up to `workers` threads at once, and waits for all that have begun. Once one has ended there is
  // nothing left to begin with: a short job does not wait for threads that have yet to wake up. One job at a time.
  void run(std::uint32_t workers, const std::function<void()>& work);
  std::uint32_t size() const { return size_; }

 private:
  // In job_: how many threads are still wanted, below the number of the job.
  static constexpr std::uint32_t kWanted = 0xFF;

  bool start();
  void serve();
  bool take_ticket();
  // Those that nobody has taken; how many there were.
  std::uint32_t take_tickets_back();

  std::mutex one_job_;
  const std::function<void()>* work_ = nullptr;
  std::atomic<std::uint32_t> job_{0};
  std::atomic<std::uint32_t> running_{0};  // threads that work, and tickets that nobody has taken
  std::uint32_t size_ = 0;
};

}  // namespace nvmlab::kernels
