// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/system.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cerrno>
#include <ctime>

#ifndef F_OFD_SETLKW
#define F_OFD_SETLKW 38
#endif

namespace nvmlab::sys {
namespace {

template <class... Arguments>
long call(long number, Arguments... arguments) {
  const long result = ::syscall(number, arguments...);
  return result == -1 ? -errno : result;
}

std::uint64_t read_clock(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);  // in libc itself since glibc 2.17, and served without entering the kernel
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

int set_lock(int fd, short type) {
  struct flock range {};  // start and length 0: the whole file
  range.l_type = type;
  range.l_whence = SEEK_SET;
  for (;;) {
    const long result = call(SYS_fcntl, fd, F_OFD_SETLKW, &range);
    if (result != -EINTR) return static_cast<int>(result);
  }
}

}  // namespace

int open_file(const char* path, int flags, std::uint32_t mode) {
  return static_cast<int>(call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, mode));
}

void close_file(int fd) { call(SYS_close, fd); }

int inspect(int fd, FileFacts* facts) {
  struct stat status {};
  // The kernel's structure; libc's has the same layout on every 64-bit Linux.
  const long result = call(SYS_fstat, fd, &status);
  if (result < 0) return static_cast<int>(result);
  facts->regular = S_ISREG(status.st_mode);
  facts->owner = status.st_uid;
  facts->mode = status.st_mode & 07777;
  facts->size = static_cast<std::uint64_t>(status.st_size);
  return 0;
}

int resize(int fd, std::uint64_t size) { return static_cast<int>(call(SYS_ftruncate, fd, static_cast<long>(size))); }
int lock_file(int fd) { return set_lock(fd, F_WRLCK); }
int unlock_file(int fd) { return set_lock(fd, F_UNLCK); }
std::int64_t read_file(int fd, void* to, std::uint64_t size) { return call(SYS_read, fd, to, static_cast<long>(size)); }

void* map_private(std::uint64_t size) {
  void* memory = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void* map_file(int fd, std::uint64_t size, bool write) {
  const int protection = write ? PROT_READ | PROT_WRITE : PROT_READ;
  void* memory = ::mmap(nullptr, size, protection, write ? MAP_SHARED : MAP_PRIVATE, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

void unmap(void* memory, std::uint64_t size) {
  if (memory != nullptr) ::munmap(memory, size);
}

std::uint32_t process_id() { return static_cast<std::uint32_t>(call(SYS_getpid)); }
std::uint32_t effective_user() { return static_cast<std::uint32_t>(call(SYS_geteuid)); }
bool bind_thread(const std::uint64_t* cpu_mask, std::uint32_t words) {
  return call(SYS_sched_setaffinity, 0, sizeof *cpu_mask * words, cpu_mask) >= 0;
}
std::uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

void wait_on(const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout_ns, bool shared) {
  timespec limit{};
  limit.tv_sec = static_cast<time_t>(timeout_ns / 1'000'000'000u);
  limit.tv_nsec = static_cast<long>(timeout_ns % 1'000'000'000u);
  call(SYS_futex, word, shared ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, expected, &limit, nullptr, 0);
}

void wake(const std::uint32_t* word, int waiters, bool shared) {
  call(SYS_futex, word, shared ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, waiters, nullptr, nullptr, 0);
}

}  // namespace nvmlab::sys
