// SPDX-License-Identifier: Apache-2.0
// The threads of this library. They start with the first job that wants them, block all signals, and sleep between
// jobs; they are never joined, since nothing may wait for them when a process ends. Each job has a crew of its own
// while it runs, so kernels of several streams run side by side, also where one waits for what another writes. Tests:
// tests/unit/kernels/pool_test.cpp.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

namespace nvmlab::kernels {

class Crew;

class Pool {
 public:
  // Null where no thread can be started.
  static Pool* get();

  // Calls work() on up to `workers` threads at once, and waits for all that have begun. Once one has ended there is
  // nothing left to begin with: a short job does not wait for threads that have yet to wake up.
  void run(std::uint32_t workers, const std::function<void()>& work);
  // As many threads as a job can have.
  std::uint32_t size() const { return size_; }

 private:
  // One that has a thread at least. Waits for another job's where no more can be had.
  Crew* take_crew();
  void give_back(Crew* crew);

  std::mutex lock_;
  std::condition_variable given_back_;
  std::vector<Crew*> idle_;  // the one behind was used last
  std::uint32_t crews_ = 0;
  std::uint32_t size_ = 0;
};

}  // namespace nvmlab::kernels
