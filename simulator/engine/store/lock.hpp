// SPDX-License-Identifier: Apache-2.0
//
// Who may write to a store. Threads of one process exclude one another with a futex word; processes that share a store
// with a lock on an open description of its file, which the kernel drops with that description, whatever libc, PID
// namespace or container its holder lives in. (A robust pthread mutex would tie both sides to one libc's layout.)
//
// The file is opened for each write and closed after it. A descriptor that is kept is one that a client can close,
// reuse or print into, and that a forked child would keep locked; so none is kept, and what is opened is held against
// the device and inode of what was mapped. Tests: tests/unit/machine/lock_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/code.hpp"

namespace nvmlab {

inline constexpr std::uint32_t kMaxPath = 512;

// A lock among the threads of one process that survives fork: the word names the process of the holder, so a child that
// inherits it locked by a thread that it does not have takes it over.
class ThreadLock {
 public:
  void lock() { lock_until(~std::uint64_t{0}); }
  bool lock_until(std::uint64_t deadline_ns);  // of the monotonic clock; false: it was somebody else's all the time
  void unlock();

 private:
  std::uint32_t owner_ = 0;  // sys::process_token() of the holder, 0 when free
  std::uint32_t waiters_ = 0;
};

// The file of a shared store, as whoever maps it remembers it.
struct StoreFile {
  char path[kMaxPath] = {};  // absolute; empty: a private store, no file
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t gpu_count = 0;  // of the store, when it was mapped
  bool writable = false;        // whether it was mapped so

  bool shared() const { return path[0] != '\0'; }
};

class WriteLock {
 public:
  // How long a writer waits for another one, which may have been stopped.
  static constexpr std::uint64_t kPatienceNs = 2'000'000'000;

  explicit WriteLock(const StoreFile* file);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  // kSuccess: it is held. Else nothing may be written: kTimeout where another writer holds it for too long, kGpuIsLost
  // where the file is gone or another one, kNoPermission, kOperatingSystem.
  Code code() const { return code_; }

 private:
  Code take(const StoreFile& file, std::uint64_t deadline_ns);

  int fd_ = -1;
  bool among_threads_ = false;
  Code code_;
};

}  // namespace nvmlab
