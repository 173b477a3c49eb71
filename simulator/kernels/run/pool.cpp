// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/pool.hpp"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <system_error>
#include <thread>

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kMostThreads = 64;  // of a job
constexpr std::uint32_t kMostCrews = 128;   // as many grids as a GPU has resident at once

std::uint32_t processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return std::clamp(static_cast<std::uint32_t>(CPU_COUNT(&mine)), 1U, kMostThreads);
}

// Until it has another value. Programs launch kernels one after another, and a thread that has just gone to sleep takes
// longer to come back than many of them run: it looks a few microseconds first, where another core can change it.
std::uint32_t wait_until_changed(const std::atomic<std::uint32_t>& word, std::uint32_t seen) {
  static const bool look = processors() > 1;
  constexpr int kLooks = 400;
  constexpr int kLooksInARow = 20;
  for (int i = 0; look && i < kLooks; ++i) {
    const std::uint32_t now = word.load(std::memory_order_acquire);
    if (now != seen) return now;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    if (i % kLooksInARow == 0) sched_yield();  // it may be this core that the other thread is to run on
  }
  word.wait(seen, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

// All signals are the program's: its handlers must not run on a thread of ours.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

// The threads of one job at a time.
class Crew {
 public:
  // So many threads, or as many as can be started; how many there are.
  std::uint32_t grow(std::uint32_t wanted);
  void run(std::uint32_t workers, const std::function<void()>& work);

 private:
  // In job_: how many threads are still wanted, below the number of the job.
  static constexpr std::uint32_t kWanted = 0xFF;

  void serve();
  bool take_ticket();
  // Those that nobody has taken; how many there were.
  std::uint32_t take_tickets_back();

  const std::function<void()>* work_ = nullptr;
  std::atomic<std::uint32_t> job_{0};
  std::atomic<std::uint32_t> running_{0};  // threads that work, and tickets that nobody has taken
  std::uint32_t size_ = 0;
};

std::uint32_t Crew::grow(std::uint32_t wanted) {
  if (size_ >= wanted) return size_;
  const SignalsBlocked blocked;
  try {
    for (; size_ < wanted; ++size_)
      std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // as many as there are
  }
  return size_;
}

bool Crew::take_ticket() {
  std::uint32_t seen = job_.load(std::memory_order_acquire);
  while ((seen & kWanted) != 0) {
    if (job_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

std::uint32_t Crew::take_tickets_back() {
  std::uint32_t seen = job_.load(std::memory_order_acquire);
  while (!job_.compare_exchange_weak(seen, seen & ~kWanted, std::memory_order_acq_rel)) {
  }
  return seen & kWanted;
}

void Crew::serve() {
  for (;;) {
    const std::uint32_t seen = job_.load(std::memory_order_acquire);
    if (!take_ticket()) {
      if ((seen & kWanted) == 0) wait_until_changed(job_, seen);
      continue;
    }
    (*work_)();
    const std::uint32_t done = 1 + take_tickets_back();
    if (running_.fetch_sub(done, std::memory_order_acq_rel) == done) running_.notify_all();
  }
}

void Crew::run(std::uint32_t workers, const std::function<void()>& work) {
  const std::uint32_t wanted = std::min(workers, grow(workers));
  work_ = &work;
  running_.store(wanted, std::memory_order_relaxed);
  const std::uint32_t number = (job_.load(std::memory_order_relaxed) | kWanted) + 1;
  job_.store(number | wanted, std::memory_order_release);
  if (wanted == size_) {
    job_.notify_all();
  } else {
    for (std::uint32_t i = 0; i < wanted; ++i)
      job_.notify_one();
  }
  for (std::uint32_t left = running_.load(std::memory_order_acquire); left != 0;)
    left = wait_until_changed(running_, left);
}

Pool* Pool::get() {
  static Pool* const pool = [] {
    auto* const made = new Pool;
    made->size_ = processors();
    Crew* const first = made->take_crew();
    if (first != nullptr) made->give_back(first);
    return first == nullptr ? nullptr : made;
  }();
  return pool;
}

Crew* Pool::take_crew() {
  std::unique_lock<std::mutex> lock(lock_);
  while (idle_.empty()) {
    if (crews_ < kMostCrews) {
      auto crew = std::make_unique<Crew>();
      idle_.reserve(crews_ + 1);
      if (crew->grow(1) != 0) {
        ++crews_;
        return crew.release();
      }
      if (crews_ == 0) return nullptr;
    }
    given_back_.wait(lock);
  }
  Crew* const crew = idle_.back();
  idle_.pop_back();
  return crew;
}

void Pool::give_back(Crew* crew) {
  const std::lock_guard<std::mutex> lock(lock_);
  idle_.push_back(crew);
  given_back_.notify_one();
}

void Pool::run(std::uint32_t workers, const std::function<void()>& work) {
  Crew* const crew = take_crew();
  crew->run(std::clamp(workers, 1U, size_), work);
  give_back(crew);
}

}  // namespace nvmlab::kernels
