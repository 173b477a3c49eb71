// SPDX-License-Identifier: Apache-2.0
//
// The file that stands in for the kernel log: one line for each Xid that a change raises. The process that makes the
// change appends the line, under the machine's WriteLock, so the lines have the order of the events. A line that cannot
// be written is left out; the change is made all the same. Tests: tests/command/kernel_log_test.cpp,
// tests/drivers/functions/reset_test.cpp.
#pragma once

#include "engine/store/lock.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

// A log that the caller has opened for appending.
struct KernelLogFile {
  int fd;
  int error = 0;  // errno of the first line that is missing; the lines after it are missing too
};

class KernelLog {
 public:
  // `opened`: the log to use in place of the machine's own. Without it, lines go to the path in the store's header.
  // The machine must be shared and this user's own: another user's machine must not choose a file that this process
  // writes to.
  KernelLog(const Store& store, const StoreFile& file, KernelLogFile* opened)
      : store_(store), file_(file), opened_(opened) {}
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;

  // Appends a line, which ends in a newline, with one write.
  void append(const char* line, std::uint32_t size) const;

 private:
  int open_own() const;

  const Store& store_;
  const StoreFile& file_;
  KernelLogFile* opened_;
};

}  // namespace nvmlab
