// SPDX-License-Identifier: Apache-2.0
//
// Threads that do the work of queues. The first starts with the first call that leaves work behind; then there are as
// many as queues have work at once, at most kMostThreads. They block all signals, sleep between items, and are never
// joined, since nothing may wait for them when a process ends. A forked child has none of them, and is not initialised.
// Where the process has no threads (no pthread_create), whoever waits does the work. None of these is called with the
// lock of the process held. Tests: tests/drivers/cuda/concurrency_test.cpp.
#pragma once

#include "drivers/cuda/streams/work_queue.hpp"

namespace nvmlab::cuda {

inline constexpr std::uint32_t kMostThreads = 64;

// Lets a thread do what was submitted, and returns; it waits where the queue is full, as a GPU's is.
void begin_work(const WorkMark& mark);
// The same of what takes no time: at once, where nothing is to be waited for, by the caller.
void do_work(const WorkMark& mark);
// Until it is done, by the caller if nobody else does it.
void await_work(const WorkMark& mark);
// Until all that was submitted so far is done; null: of all contexts.
void await_context(CUcontext context, QueueChoice choice = QueueChoice::all);

// Calls body() under the lock when what was submitted so far is done and nothing runs: to take away what work may use.
template <class Body>
CUresult while_idle(const Body& body);
// The same for a call that needs the current context.
template <class Body>
CUresult while_idle_in_context(const Body& body) {
  return while_idle([&] {
    const CUresult code = find_current().code;
    return code == CUDA_SUCCESS ? body() : code;
  });
}

// Sleeps until something was done since `seen`.
std::uint32_t work_progress();
void await_progress(std::uint32_t seen);
void work_was_done();  // wakes those
void hand_out_work();  // to threads, where there is some that nobody does

template <class Body>
CUresult while_idle(const Body& body) {
  {
    const Locked lock;
    if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;  // it would wait for itself
  }
  await_context(nullptr);
  {
    const Locked lock;
    hold_work(true);
  }
  for (;;) {
    const std::uint32_t seen = work_progress();
    CUresult code = CUDA_SUCCESS;
    bool idle = false;
    {
      const Locked lock;
      idle = !work_runs();
      if (idle) {
        code = body();
        hold_work(false);
      }
    }
    if (idle) {
      hand_out_work();
      return code;
    }
    await_progress(seen);
  }
}

}  // namespace nvmlab::cuda
