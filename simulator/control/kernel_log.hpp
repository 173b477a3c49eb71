// SPDX-License-Identifier: Apache-2.0
//
// The file, FIFO or /dev/kmsg that the kernel log lines of Xids go to. The change that raises an Xid appends its line
// (engine/topics/kernel_log/kernel_log.hpp); the command opens the log before, so that a log that cannot be written is
// an error and nothing changes. Tests: tests/command/kernel_log_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "control/machine.hpp"

namespace nvmlab::control {

class KernelLog {
 public:
  // Refuses symbolic links, files of other users, and everything else but files, FIFOs and /dev/kmsg. Refuses a FIFO
  // without a reader.
  static std::expected<KernelLog, std::string> open(const std::string& path);
  ~KernelLog();
  KernelLog(KernelLog&& other) noexcept;
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  KernelLog& operator=(KernelLog&&) = delete;

  KernelLogFile& file() { return file_; }
  std::string problem() const;  // why lines are missing; empty: none is

 private:
  KernelLog(int fd, std::string path) : file_{fd}, path_(std::move(path)) {}
  KernelLogFile file_;
  std::string path_;
};

// Opens the log that an option names, else the one that the machine was brought up with; none if there is neither.
std::expected<std::optional<KernelLog>, std::string> kernel_log_of(Machine& machine,
                                                                   const std::optional<std::string>& option);

// Remembers the log of a machine that has just been brought up.
std::string set_kernel_log(Machine& machine, const std::string& path);

struct LoggedChanges {
  Code code = kSuccess;
  std::uint32_t failed = 0;  // index of the change that was rejected
  std::string log_problem;   // KernelLog::problem()
};
// Makes the changes, whose lines go to `log` if there is one.
LoggedChanges apply_logged(Machine& machine, const std::vector<Change>& changes, std::optional<KernelLog>& log);
// The same under a lock that the caller has.
LoggedChanges apply_logged(Machine& machine, const WriteLock& lock, const std::vector<Change>& changes,
                           std::optional<KernelLog>& log);

}  // namespace nvmlab::control
