// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/work_threads.hpp"

#include <pthread.h>
#include <signal.h>

#include "drivers/common/dynamic_loader.hpp"
#include "drivers/cuda/contexts/device_load.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kLong = 3600 * kSecond;
constexpr std::uint64_t kWatch = 100'000;  // ns between two looks at a word of memory that an item waits for

std::uint32_t thread_count = 0;
std::uint32_t idle_threads = 0;
std::uint32_t wanted = 0;    // changes when there is something to do: threads sleep on it
std::uint32_t progress = 0;  // changes when something was done: callers sleep on it
std::uint32_t waiters = 0;
bool watching = false;

CUresult fault_of(const WorkQueue& queue) {
  Context* const context = find_context(queue.context);
  return context == nullptr ? CUDA_ERROR_CONTEXT_IS_DESTROYED : state_of_context(*context);
}

bool want_thread();

// The item whose turn it is, by the calling thread; false: there is nothing to do now.
bool do_one() {
  WorkQueue* queue = nullptr;
  WorkItem* item = nullptr;
  CUresult fault = CUDA_SUCCESS;
  {
    const Locked lock;
    item = take_any(&queue);
    if (item == nullptr) return false;
    fault = fault_of(*queue);
    want_thread();
  }
  const CUresult code = run_item(*item, fault);
  const Locked lock;
  finish(*queue, code);
  want_thread();
  return true;
}

void* serve_queues(void*);

bool start_thread() {
  auto* const create = driver::look_up<decltype(::pthread_create)>("pthread_create");
  auto* const mask = driver::look_up<decltype(::pthread_sigmask)>("pthread_sigmask");
  auto* const fill = driver::look_up<decltype(::sigfillset)>("sigfillset");
  if (create == nullptr || mask == nullptr || fill == nullptr) return false;
  sigset_t all;
  sigset_t before;
  fill(&all);
  mask(SIG_SETMASK, &all, &before);
  pthread_t made{};
  const bool started = create(&made, nullptr, serve_queues, nullptr) == 0;
  mask(SIG_SETMASK, &before, nullptr);
  if (started) ++thread_count;
  return started;
}

// Under the lock. One more thread looks for work, if there is some that nobody does; false: there is no thread at all.
bool want_thread() {
  bool watched = false;
  std::uint32_t waiting = waiting_queues(&watched);
  if (watched && !watching) ++waiting;
  if (waiting == 0) return thread_count != 0;
  __atomic_fetch_add(&wanted, 1, __ATOMIC_RELEASE);
  if (idle_threads > 0) sys::wake(&wanted, 1, false);
  if (idle_threads < waiting && thread_count < kMostThreads) start_thread();
  return thread_count != 0;
}

// One of the threads that have nothing to do looks at the words that items wait for.
bool go_idle(std::uint64_t* sleep_ns) {
  const Locked lock;
  bool watched = false;
  waiting_queues(&watched);
  ++idle_threads;
  const bool watches = watched && !watching;
  if (watches) watching = true;
  look_at_load();
  *sleep_ns = watches ? kWatch : load_is_told() ? kLoadWindow : kLong;
  return watches;
}

void end_idle(bool watches) {
  const Locked lock;
  --idle_threads;
  if (watches) watching = false;
}

void* serve_queues(void*) {
  for (;;) {
    const std::uint32_t seen = __atomic_load_n(&wanted, __ATOMIC_ACQUIRE);
    if (do_one()) continue;
    std::uint64_t sleep_ns = 0;
    const bool watches = go_idle(&sleep_ns);
    sys::wait_on(&wanted, seen, sleep_ns, false);
    end_idle(watches);
  }
  return nullptr;
}

bool is_reached(const WorkMark& mark) {
  const Locked lock;
  return reached(mark);
}

template <class Done>
void await(const Done& done) {
  for (;;) {
    const std::uint32_t seen = work_progress();
    if (done()) return;
    await_progress(seen);
  }
}

// Does the items of a queue up to this one, as long as each may begin and nobody else does them.
void do_up_to(const WorkMark& mark) {
  for (;;) {
    WorkItem* item = nullptr;
    CUresult fault = CUDA_SUCCESS;
    {
      const Locked lock;
      if (reached(mark)) return;
      item = take_first(*mark.queue);
      if (item == nullptr) return;
      fault = fault_of(*mark.queue);
    }
    const CUresult code = run_item(*item, fault);
    const Locked lock;
    finish(*mark.queue, code);
    want_thread();
  }
}

}  // namespace

std::uint32_t work_progress() { return __atomic_load_n(&progress, __ATOMIC_ACQUIRE); }

void await_progress(std::uint32_t seen) {
  bool threads = false;
  {
    const Locked lock;
    threads = thread_count != 0 || want_thread();
  }
  if (!threads) {
    if (!do_one()) sys::pause(kWatch);
    return;
  }
  __atomic_fetch_add(&waiters, 1, __ATOMIC_SEQ_CST);
  sys::wait_on(&progress, seen, kSecond, false);
  __atomic_fetch_sub(&waiters, 1, __ATOMIC_SEQ_CST);
}

void work_was_done() {
  __atomic_fetch_add(&progress, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&waiters, __ATOMIC_SEQ_CST) != 0) sys::wake(&progress, 1 << 30, false);
}

void hand_out_work() {
  const Locked lock;
  want_thread();
}

void begin_work(const WorkMark& mark) {
  constexpr std::uint64_t kMostPending = 1024;
  bool threads = false;
  bool full = false;
  {
    const Locked lock;
    threads = want_thread();
    full = !reached(mark) && mark.queue->submitted - mark.queue->completed > kMostPending;
  }
  if (!threads) {
    while (do_one()) {
    }
  } else if (full) {
    WorkMark earlier = mark;
    earlier.number -= kMostPending / 2;
    await_work(earlier);
  }
}

// What lies before it in the queue may take long, or wait for the caller: that is for the threads, also where none of
// them has begun it yet.
void do_work(const WorkMark& mark) {
  bool next = false;
  {
    const Locked lock;
    next = !reached(mark) && mark.queue->completed + 1 == mark.number;
  }
  if (next) do_up_to(mark);
  if (!is_reached(mark)) begin_work(mark);
}

void await_work(const WorkMark& mark) {
  do_up_to(mark);
  await([&] { return is_reached(mark); });
}

void await_context(CUcontext context, QueueChoice choice) {
  std::uint64_t newest = 0;
  {
    const Locked lock;
    newest = newest_work();
  }
  await([&] {
    const Locked lock;
    return !has_work(context, newest, choice);
  });
}

}  // namespace nvmlab::cuda
