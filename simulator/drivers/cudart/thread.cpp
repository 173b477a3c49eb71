// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/thread.hpp"

#include "drivers/common/old_threads.hpp"
#include "engine/store/lock.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cudart {
namespace {

ThreadLock lock;
Thread only_thread;
Thread* free_threads = nullptr;
pthread_key_t key;
bool has_key = false;

void thread_ends(void* ended) {
  auto* const thread = static_cast<Thread*>(ended);
  *thread = {};
  lock.lock();
  thread->next_free = free_threads;
  free_threads = thread;
  lock.unlock();
}

// From a page of them at a time.
Thread* take() {
  constexpr std::uint32_t kPage = 1 << 16;
  if (free_threads == nullptr) {
    auto* page = static_cast<Thread*>(sys::map_private(kPage));
    if (page == nullptr) return nullptr;
    for (std::uint32_t i = 0; i < kPage / sizeof *page; ++i) {
      page[i].next_free = free_threads;
      free_threads = &page[i];
    }
  }
  Thread* taken = free_threads;
  free_threads = taken->next_free;
  return taken;
}

Thread* new_thread() {
  lock.lock();
  if (!has_key) has_key = pthread_key_create(&key, thread_ends) == 0;
  Thread* const taken = has_key ? take() : nullptr;
  lock.unlock();
  if (taken != nullptr) pthread_setspecific(key, taken);
  return taken;
}

}  // namespace

Thread& this_thread() {
  if (pthread_key_create == nullptr || pthread_getspecific == nullptr || pthread_setspecific == nullptr)
    return only_thread;
  if (__atomic_load_n(&has_key, __ATOMIC_ACQUIRE)) {
    if (void* known = pthread_getspecific(key)) return *static_cast<Thread*>(known);
  }
  Thread* const made = new_thread();
  return made == nullptr ? only_thread : *made;
}

}  // namespace nvmlab::cudart
