// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/loader/fork.hpp"

#include <pthread.h>

namespace nvml::inline v1::detail {
namespace {

// Initialised before any code runs and never destroyed, as states may live until the very end of the process.
constinit pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
constinit ForkAware* first_state = nullptr;
constinit pthread_once_t handlers_registered = PTHREAD_ONCE_INIT;

}  // namespace

void empty_tables_of_parent() noexcept {
  for (ForkAware* state = first_state; state != nullptr; state = state->next_) {
    state->functions = Functions{};
    state->absence = Absence::fork;
  }
}

namespace {

// fork copies the list as it is at that moment, so nobody may be changing it then.
void before_fork() { pthread_mutex_lock(&list_lock); }
void in_parent() { pthread_mutex_unlock(&list_lock); }
void in_child() {
  empty_tables_of_parent();
  pthread_mutex_unlock(&list_lock);
}

// Without the list's lock: fork may hold its own while it waits for ours.
void register_handlers() { pthread_atfork(before_fork, in_parent, in_child); }

}  // namespace

ForkAware::ForkAware() {
  pthread_once(&handlers_registered, register_handlers);
  pthread_mutex_lock(&list_lock);
  next_ = first_state;
  if (first_state != nullptr) first_state->previous_ = this;
  first_state = this;
  pthread_mutex_unlock(&list_lock);
}

ForkAware::~ForkAware() {
  pthread_mutex_lock(&list_lock);
  (previous_ != nullptr ? previous_->next_ : first_state) = next_;
  if (next_ != nullptr) next_->previous_ = previous_;
  pthread_mutex_unlock(&list_lock);
}

}  // namespace nvml::inline v1::detail
