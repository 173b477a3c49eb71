// SPDX-License-Identifier: Apache-2.0
//
// What the kernel module writes about a GPU: a line for each Xid, into a file, a FIFO or /dev/kmsg, for programs that
// read the kernel's log. Tests: tests/command/fault_test.cpp, tests/unit/command/faults_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "control/machine.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::tool {

// What a line depends on beside the Xid.
struct XidSubject {
  PciAddress address{};
  std::uint32_t gpu_instance = kNoInstance;
  std::uint32_t compute_instance = kNoInstance;
  bool remaps_rows = false;         // else the board retires pages
  std::uint32_t action_before = 0;  // modes.recovery_action
  std::uint32_t action_now = 0;
};

// "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
std::string xid_line(std::uint64_t xid, const XidSubject& subject);

// Somewhere to write to.
class KernelLog {
 public:
  // Refuses symbolic links, files of other users, and whatever is neither a file, a FIFO nor /dev/kmsg. A FIFO that
  // nobody reads is refused as well.
  static std::expected<KernelLog, std::string> open(const std::string& path);
  ~KernelLog();
  KernelLog(KernelLog&& other) noexcept;
  KernelLog(const KernelLog&) = delete;
  KernelLog& operator=(const KernelLog&) = delete;
  KernelLog& operator=(KernelLog&&) = delete;

  // Each line with one write. What went wrong, or nothing.
  std::string write(const std::vector<std::string>& lines) const;

 private:
  KernelLog(int fd, std::string path) : fd_(fd), path_(std::move(path)) {}
  int fd_;
  std::string path_;
};

// The log that an option names, else the one that the machine was brought up with, else none.
std::expected<std::optional<KernelLog>, std::string> kernel_log_of(Machine& machine,
                                                                   const std::optional<std::string>& option);

// Remembers the log of a machine that has just been brought up.
std::string set_kernel_log(Machine& machine, const std::string& path);

// What became of changes, and the lines that the kernel module would write of them.
struct ToldChanges {
  Code code = kSuccess;
  std::uint32_t failed = 0;
  std::vector<std::string> lines;
};
ToldChanges apply_and_tell(Machine& machine, const std::vector<Change>& changes);
// The same for who has the lock already.
ToldChanges apply_and_tell(Machine& machine, const WriteLock& lock, const std::vector<Change>& changes);

}  // namespace nvmlab::tool
