// SPDX-License-Identifier: Apache-2.0
#include "engine/store/lock.hpp"

#include <fcntl.h>
#include <cerrno>

#include "engine/store/system.hpp"

namespace nvmlab {
namespace {

constexpr std::uint64_t kRecheck = 10'000'000;  // ns; how soon a waiter notices that the holder is of another process

// Between two tries to get a file's lock. A change takes a microsecond, so the first tries come soon.
constexpr std::uint64_t kFirstPause = 5'000;
constexpr std::uint64_t kLongestPause = 1'000'000;

ThreadLock writers;  // one store at a time is written by a process, so one lock serves

Code code_of_error(int negative_errno) {
  switch (-negative_errno) {
    case ENOENT:
      return kGpuIsLost;  // the machine was taken down
    case EACCES:
    case EPERM:
    case EROFS:
      return kNoPermission;
    default:
      return kOperatingSystem;
  }
}

}  // namespace

bool ThreadLock::lock_until(std::uint64_t deadline_ns) {
  const std::uint32_t self = sys::process_token();
  for (;;) {
    std::uint32_t seen = 0;
    if (__atomic_compare_exchange_n(&owner_, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return true;
    if (seen != self) {
      if (__atomic_compare_exchange_n(&owner_, &seen, self, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return true;
      continue;
    }
    if (sys::monotonic_ns() >= deadline_ns) return false;
    __atomic_fetch_add(&waiters_, 1, __ATOMIC_RELAXED);
    sys::wait_on(&owner_, seen, kRecheck, false);
    __atomic_fetch_sub(&waiters_, 1, __ATOMIC_RELAXED);
  }
}

void ThreadLock::unlock() {
  __atomic_store_n(&owner_, 0u, __ATOMIC_RELEASE);
  if (__atomic_load_n(&waiters_, __ATOMIC_RELAXED) != 0) sys::wake(&owner_, 1, false);
}

WriteLock::WriteLock(const StoreFile* file) : code_(kSuccess) {
  const std::uint64_t deadline = sys::monotonic_ns() + kPatienceNs;
  among_threads_ = writers.lock_until(deadline);
  if (!among_threads_) {
    code_ = kTimeout;
  } else if (file->shared()) {
    code_ = take(*file, deadline);
  }
}

Code WriteLock::take(const StoreFile& file, std::uint64_t deadline_ns) {
  fd_ = sys::open_file(file.path, O_RDWR | O_NOFOLLOW, 0);
  if (fd_ < 0) return code_of_error(fd_);
  sys::FileFacts facts;
  if (sys::inspect(fd_, &facts) < 0) return kOperatingSystem;
  if (facts.device != file.device || facts.inode != file.inode) return kGpuIsLost;
  for (std::uint64_t pause = kFirstPause;; pause = pause < kLongestPause ? pause * 2 : pause) {
    const int result = sys::try_lock_file(fd_);
    if (result == 0) return kSuccess;
    if (result != -EAGAIN && result != -EACCES) return kOperatingSystem;
    if (sys::monotonic_ns() >= deadline_ns) return kTimeout;
    sys::pause(pause);
  }
}

WriteLock::~WriteLock() {
  if (fd_ >= 0) {
    // Closing it would do, but for a child that was forked meanwhile and has the same open file.
    sys::unlock_file(fd_);
    sys::close_file(fd_);
  }
  if (among_threads_) writers.unlock();
}

}  // namespace nvmlab
