// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/contexts/thread_contexts.hpp"

#include "drivers/common/old_threads.hpp"
#include "drivers/cuda/process/process.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

ThreadContexts only_thread;
ThreadContexts* free_stacks = nullptr;
pthread_key_t key;
bool has_key = false;

// From a page of them at a time.
ThreadContexts* take_stack() {
  constexpr std::uint32_t kPage = 1 << 16;
  if (free_stacks == nullptr) {
    auto* page = static_cast<ThreadContexts*>(sys::map_private(kPage));
    if (page == nullptr) return nullptr;
    for (std::uint32_t i = 0; i < kPage / sizeof *page; ++i) {
      page[i].next_free = free_stacks;
      free_stacks = &page[i];
    }
  }
  ThreadContexts* taken = free_stacks;
  free_stacks = taken->next_free;
  return taken;
}

}  // namespace

void keep_by_thread(void (*thread_ends)(void* contexts)) {
  const Locked lock;
  if (pthread_key_create == nullptr || pthread_getspecific == nullptr || pthread_setspecific == nullptr) return;
  if (!has_key) has_key = pthread_key_create(&key, thread_ends) == 0;
}

void recycle(ThreadContexts& ended) {
  ended = {};
  ended.next_free = free_stacks;
  free_stacks = &ended;
}

ThreadContexts* thread_contexts() {
  if (!has_key) return &only_thread;
  if (void* known = pthread_getspecific(key)) return static_cast<ThreadContexts*>(known);
  ThreadContexts* taken = take_stack();
  if (taken != nullptr) pthread_setspecific(key, taken);
  return taken;
}

std::uint64_t thread_number() {
  static constinit std::uint64_t last = 0;
  ThreadContexts* const own = thread_contexts();
  if (own == nullptr) return 0;
  if (own->number == 0) own->number = ++last;
  return own->number;
}

void set_per_thread_stream(bool set) {
  const Locked lock;
  if (ThreadContexts* own = thread_contexts()) own->per_thread_stream = set;
}

}  // namespace nvmlab::cuda
