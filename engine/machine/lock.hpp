// SPDX-License-Identifier: Apache-2.0
//
// Who may write to a store. Threads of one process exclude one another with a futex word; processes that share a store
// with an open-file-description lock on its file, which the kernel drops when its holder dies, whatever libc, PID
// namespace or container it lives in. (A robust pthread mutex would tie both sides to one libc's layout.)
//
// After fork the child has the parent's open file description and would not be kept out by the parent's lock, so a
// process that finds itself to be another one opens the file anew. Tests: tests/unit/machine/lock_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab {

// A lock among the threads of one process that survives fork: the word holds the process id of the holder, so a child
// that inherits it locked by a thread that it does not have takes it over.
class ThreadLock {
 public:
  void lock();
  void unlock();

 private:
  std::uint32_t owner_ = 0;  // process id of the holder, 0 when free
  std::uint32_t waiters_ = 0;
};

struct StoreFile {
  int fd = -1;                  // -1: a private store, no file
  std::uint32_t opened_by = 0;  // process id
};

class WriteLock {
 public:
  explicit WriteLock(StoreFile* file);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  StoreFile* file_;
};

}  // namespace nvmlab
