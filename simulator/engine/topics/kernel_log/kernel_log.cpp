// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/kernel_log/kernel_log.hpp"

#include <fcntl.h>

#include <cerrno>

#include "engine/store/system.hpp"

namespace nvmlab {
namespace {

bool of_own_user(const StoreFile& file) {
  if (!file.shared()) return false;
  const int fd = sys::open_file(file.path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC, 0);
  if (fd < 0) return false;
  sys::FileFacts facts;
  const bool own = sys::inspect(fd, &facts) == 0 && facts.owner == sys::effective_user() && facts.inode == file.inode;
  sys::close_file(fd);
  return own;
}

// Returns an errno, or 0.
int write_line(int fd, const char* line, std::uint32_t size) {
  std::int64_t written = 0;
  do {
    written = sys::write_quietly(fd, line, size);
  } while (written == -EINTR);
  if (written < 0) return static_cast<int>(-written);
  return written == size ? 0 : ENOSPC;
}

}  // namespace

// `nvmlab up` has created the file, or checked the FIFO.
int KernelLog::open_own() const {
  const auto& path = store_.header.kernel_log;
  if (path[0] == '\0' || path[sizeof path - 1] != '\0' || !of_own_user(file_)) return -1;
  const int fd = sys::open_file(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0);
  if (fd < 0) return fd;
  sys::FileFacts facts;
  if (sys::inspect(fd, &facts) == 0 && (!facts.regular || facts.owner == sys::effective_user())) return fd;
  sys::close_file(fd);
  return -1;
}

void KernelLog::append(const char* line, std::uint32_t size) const {
  if (opened_ != nullptr) {
    if (opened_->error == 0) opened_->error = write_line(opened_->fd, line, size);
    return;
  }
  const int fd = open_own();
  if (fd < 0) return;
  write_line(fd, line, size);
  sys::close_file(fd);
}

}  // namespace nvmlab
