// SPDX-License-Identifier: Apache-2.0
// The threads of this library. They start with the first job, block all signals, and sleep between jobs; they are never
// joined, since nothing may wait for them when a process ends. Tests: tests/unit/kernels/.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>

namespace nvmlab::kernels {

class Pool {
 public:
  // Null where no thread can be started.
  static Pool* get();

  // Calls work() on `workers` threads at once, at most as many as there are, and waits for all. One job at a time.
  void run(std::uint32_t workers, const std::function<void()>& work);
  std::uint32_t size() const { return size_; }

 private:
  bool start();
  void serve();

  std::mutex one_job_;
  std::mutex lock_;
  std::condition_variable wanted_;
  std::condition_variable finished_;
  const std::function<void()>* work_ = nullptr;
  std::uint32_t to_take_ = 0;
  std::uint32_t running_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace nvmlab::kernels
