// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/pool.hpp"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace nvmlab::kernels {
namespace {

constexpr std::uint32_t kMostThreads = 64;

std::uint32_t processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return std::clamp(static_cast<std::uint32_t>(CPU_COUNT(&mine)), 1U, kMostThreads);
}

// Until it has another value. Programs launch kernels one after another, and a thread that has just gone to sleep takes
// longer to come back than many of them run: it looks a few microseconds first, where another core can change it.
std::uint32_t wait_until_changed(const std::atomic<std::uint32_t>& word, std::uint32_t seen, bool look) {
  constexpr int kLooks = 400;
  for (int i = 0; look && i < kLooks; ++i) {
    const std::uint32_t now = word.load(std::memory_order_acquire);
    if (now != seen) return now;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  word.wait(seen, std::memory_order_acquire);
  return word.load(std::memory_order_acquire);
}

}  // namespace

Pool* Pool::get() {
  static Pool* const pool = [] {
    auto* const made = new Pool;
    return made->start() ? made : nullptr;
  }();
  return pool;
}

bool Pool::start() {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::uint32_t made = 0;
  try {
    for (const std::uint32_t wanted = processors(); made < wanted; ++made)
      std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // as many as there are
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  size_ = made;
  return size_ != 0;
}

bool Pool::take_ticket() {
  std::uint32_t seen = job_.load(std::memory_order_acquire);
  while ((seen & kWanted) != 0) {
    if (job_.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) return true;
  }
  return false;
}

std::uint32_t Pool::take_tickets_back() {
  std::uint32_t seen = job_.load(std::memory_order_acquire);
  while (!job_.compare_exchange_weak(seen, seen & ~kWanted, std::memory_order_acq_rel)) {
  }
  return seen & kWanted;
}

void Pool::serve() {
  const bool look = processors() > 1;
  for (;;) {
    const std::uint32_t seen = job_.load(std::memory_order_acquire);
    if (!take_ticket()) {
      if ((seen & kWanted) == 0) wait_until_changed(job_, seen, look);
      continue;
    }
    (*work_)();
    const std::uint32_t done = 1 + take_tickets_back();
    if (running_.fetch_sub(done, std::memory_order_acq_rel) == done) running_.notify_all();
  }
}

void Pool::run(std::uint32_t workers, const std::function<void()>& work) {
  const std::lock_guard<std::mutex> one(one_job_);
  const std::uint32_t wanted = std::clamp(workers, 1U, size_);
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
    left = wait_until_changed(running_, left, size_ > 1);
}

}  // namespace nvmlab::kernels
