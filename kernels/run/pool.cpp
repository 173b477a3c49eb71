// SPDX-License-Identifier: Apache-2.0
#include "kernels/run/pool.hpp"

#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <system_error>
#include <thread>

namespace nvmlab::kernels {
namespace {

std::uint32_t processors() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return 1;
  return std::clamp(static_cast<std::uint32_t>(CPU_COUNT(&mine)), 1U, 64U);
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
  try {
    for (const std::uint32_t wanted = processors(); size_ < wanted; ++size_)
      std::thread([this] { serve(); }).detach();
  } catch (const std::system_error&) {  // as many as there are
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return size_ != 0;
}

void Pool::serve() {
  for (;;) {
    std::unique_lock<std::mutex> guard(lock_);
    wanted_.wait(guard, [this] { return to_take_ > 0; });
    --to_take_;
    const std::function<void()>* const work = work_;
    guard.unlock();
    (*work)();
    guard.lock();
    if (--running_ == 0) finished_.notify_one();
  }
}

void Pool::run(std::uint32_t workers, const std::function<void()>& work) {
  const std::lock_guard<std::mutex> one(one_job_);
  std::unique_lock<std::mutex> guard(lock_);
  work_ = &work;
  to_take_ = running_ = std::clamp(workers, 1U, size_);
  wanted_.notify_all();
  finished_.wait(guard, [this] { return running_ == 0; });
}

}  // namespace nvmlab::kernels
