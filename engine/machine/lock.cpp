// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/lock.hpp"

#include <fcntl.h>

#include "engine/machine/system.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kRecheck = 10'000'000;  // ns; how soon a waiter notices that the holder is of another process

ThreadLock writers;  // one store at a time is written by a process, so one lock serves

// "/proc/self/fd/N" without printf.
void descriptor_path(int fd, char (&path)[32]) {
  char* to = path;
  for (const char* from = "/proc/self/fd/"; *from != '\0'; ++from)
    *to++ = *from;
  char digits[12];
  int count = 0;
  do
    digits[count++] = static_cast<char>('0' + fd % 10);
  while ((fd /= 10) > 0);
  while (count > 0)
    *to++ = digits[--count];
  *to = '\0';
}

}  // namespace

void ThreadLock::lock() {
  const std::uint32_t self = sys::process_id();
  for (;;) {
    std::uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&owner_, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    if (seen != self) {
      if (__atomic_compare_exchange_n(&owner_, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
      continue;
    }
    __atomic_fetch_add(&waiters_, 1, __ATOMIC_RELAXED);
    sys::wait_on(&owner_, seen, kRecheck, false);
    __atomic_fetch_sub(&waiters_, 1, __ATOMIC_RELAXED);
  }
}

void ThreadLock::unlock() {
  __atomic_store_n(&owner_, 0u, __ATOMIC_RELEASE);
  if (__atomic_load_n(&waiters_, __ATOMIC_RELAXED) != 0) sys::wake(&owner_, 1, false);
}

WriteLock::WriteLock(StoreFile* file) : file_(file) {
  writers.lock();
  if (file_->fd < 0) return;
  const std::uint32_t self = sys::process_id();
  if (file_->opened_by != self) {
    char path[32];
    descriptor_path(file_->fd, path);
    const int own = sys::open_file(path, O_RDWR, 0);
    if (own >= 0) {  // without /proc the inherited description still keeps strangers out
      sys::close_file(file_->fd);
      file_->fd = own;
    }
    file_->opened_by = self;
  }
  sys::lock_file(file_->fd);
}

WriteLock::~WriteLock() {
  if (file_->fd >= 0) sys::unlock_file(file_->fd);
  writers.unlock();
}

}  // namespace nvmlab
