// SPDX-License-Identifier: Apache-2.0
#include "engine/store/system.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <csignal>
#include <ctime>

#include "engine/store/system_call.hpp"

#ifndef F_OFD_SETLK
#define F_OFD_SETLK 37
#endif
#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

// Sanitizers keep account of memory that libc maps.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define NVMLAB_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define NVMLAB_WATCHED
#endif
#endif

namespace nvmlab::sys {
namespace {

std::uint64_t read_clock(clockid_t which) {
  timespec now{};
  ::clock_gettime(which, &now);  // in libc itself since glibc 2.17, and served without entering the kernel
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

constexpr int kFirstOwn = 3;  // descriptor behind the standard three

// Where the kernel reserves nothing, as on some network file systems.
int write_zeros(int fd, std::uint64_t size) {
  static const char zeros[4096] = {};
  for (std::uint64_t at = 0; at < size;) {
    const std::uint64_t left = size - at;
    const long written = call(SYS_pwrite64, fd, zeros, static_cast<long>(left < sizeof zeros ? left : sizeof zeros),
                              static_cast<long>(at));
    if (written == -EINTR) continue;
    if (written <= 0) return written < 0 ? static_cast<int>(written) : -EIO;
    at += static_cast<std::uint64_t>(written);
  }
  return 0;
}

constexpr std::uint64_t kTokenPage = 4096;
std::uint32_t* token_word = nullptr;

// A child makes its own later than its parent did, whatever number it has in which namespace.
std::uint32_t new_token() {
  const std::uint64_t mixed = monotonic_ns() * 0x9E3779B97F4A7C15ull;
  return static_cast<std::uint32_t>(mixed >> 32) | 1;
}

// A word that is zero again in a forked child; null where the kernel has no such memory (before 4.14).
std::uint32_t* wiped_on_fork() {
  std::uint32_t* known = __atomic_load_n(&token_word, __ATOMIC_ACQUIRE);
  if (known != nullptr) return known;
  void* memory = map_private(kTokenPage);
  if (memory == nullptr) return nullptr;
  if (call(SYS_madvise, memory, static_cast<long>(kTokenPage), MADV_WIPEONFORK) < 0) {
    unmap(memory, kTokenPage);
    return nullptr;
  }
  auto* mine = static_cast<std::uint32_t*>(memory);
  __atomic_store_n(mine, new_token(), __ATOMIC_RELAXED);  // a page that is read first costs two faults
  if (__atomic_compare_exchange_n(&token_word, &known, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return mine;
  unmap(memory, kTokenPage);
  return known;
}

}  // namespace

int open_file(const char* path, int flags, std::uint32_t mode) {
  const int fd = static_cast<int>(call(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC | O_NONBLOCK, mode));
  if (fd < 0 || fd >= kFirstOwn) return fd;
  const int own = static_cast<int>(call(SYS_fcntl, fd, F_DUPFD_CLOEXEC, kFirstOwn));
  close_file(fd);
  return own;
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
  facts->device = status.st_dev;
  facts->inode = status.st_ino;
  facts->changed_ns = static_cast<std::uint64_t>(status.st_mtim.tv_sec) * 1'000'000'000 +
                      static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
  return 0;
}

int reserve(int fd, std::uint64_t size) {
  for (;;) {
    const int result = static_cast<int>(call(SYS_fallocate, fd, 0, 0L, static_cast<long>(size)));
    if (result == -EOPNOTSUPP || result == -ENOSYS) return write_zeros(fd, size);
    if (result != -EINTR) return result;
  }
}

int set_mode(int fd, std::uint32_t mode) { return static_cast<int>(call(SYS_fchmod, fd, mode)); }

int set_group(int fd, std::uint32_t group) {
  constexpr long kSameOwner = -1;
  return static_cast<int>(call(SYS_fchown, fd, kSameOwner, static_cast<long>(group)));
}

namespace {
int set_lock(int fd, short type) {
  struct flock range {};  // start and length 0: the whole file
  range.l_type = type;
  range.l_whence = SEEK_SET;
  return static_cast<int>(call(SYS_fcntl, fd, F_OFD_SETLK, &range));
}
}  // namespace

int try_lock_file(int fd) { return set_lock(fd, F_WRLCK); }
void unlock_file(int fd) { set_lock(fd, F_UNLCK); }

std::int64_t read_folder(int fd, void* entries, std::uint64_t size) {
  return call(SYS_getdents64, fd, entries, static_cast<long>(size));
}

int current_folder(char* path, std::uint64_t size) {
  return static_cast<int>(call(SYS_getcwd, path, static_cast<long>(size)));
}

int make_folder(const char* path, std::uint32_t mode) {
  return static_cast<int>(call(SYS_mkdirat, AT_FDCWD, path, mode));
}

int link_file(const char* from, const char* to) {
  return static_cast<int>(call(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int remove_file(const char* path) { return static_cast<int>(call(SYS_unlinkat, AT_FDCWD, path, 0)); }

// The signals that a write can raise are held back in this thread and taken away again: a client that lost its standard
// error, or has a limit on files, is not killed by a line of ours.
std::int64_t write_quietly(int fd, const void* from, std::uint64_t size) {
  constexpr std::uint64_t kRaised = 1ull << (SIGPIPE - 1) | 1ull << (SIGXFSZ - 1);
  constexpr long kSetSize = sizeof kRaised;
  std::uint64_t before = 0;
  std::uint64_t pending = 0;
  if (const long error = call(SYS_rt_sigprocmask, SIG_BLOCK, &kRaised, &before, kSetSize); error < 0) return error;
  call(SYS_rt_sigpending, &pending, kSetSize);
  const long written = call(SYS_write, fd, from, static_cast<long>(size));
  const std::uint64_t ours = kRaised & ~pending;
  const timespec at_once{};
  while (ours != 0 && call(SYS_rt_sigtimedwait, &ours, nullptr, &at_once, kSetSize) > 0) {
  }
  call(SYS_rt_sigprocmask, SIG_SETMASK, &before, nullptr, kSetSize);
  return written;
}

std::int64_t read_file(int fd, void* to, std::uint64_t size) { return call(SYS_read, fd, to, static_cast<long>(size)); }

namespace {
[[maybe_unused]] constexpr long kFirstNoError = 4096;  // what the kernel gives as an error lies below it
constexpr int kReadWrite = PROT_READ | PROT_WRITE;
constexpr int kZeros = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

#if defined(NVMLAB_WATCHED)
void* map(void* place, std::uint64_t size, int access, int kind, int fd) {
  void* memory = ::mmap(place, size, access, kind, fd, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}
void release(void* memory, std::uint64_t size) { ::munmap(memory, size); }
#else
void* map(void* place, std::uint64_t size, int access, int kind, int fd) {
  const long result = call(SYS_mmap, place, size, access, kind, fd, 0);
  return result < 0 && result > -kFirstNoError ? nullptr : reinterpret_cast<void*>(result);
}
void release(void* memory, std::uint64_t size) { call(SYS_munmap, memory, size); }
#endif
}  // namespace

void* map_private(std::uint64_t size) { return map(nullptr, size, kReadWrite, kZeros, -1); }

void* map_shared(int fd, std::uint64_t size, bool write) {
  return map(nullptr, size, write ? kReadWrite : PROT_READ, MAP_SHARED, fd);
}

void unmap(void* memory, std::uint64_t size) {
  if (memory != nullptr) release(memory, size);
}

void map_zeros(void* memory, std::uint64_t size) { map(memory, size, kReadWrite, kZeros | MAP_FIXED, -1); }

std::uint32_t process_id() { return static_cast<std::uint32_t>(call(SYS_getpid)); }
std::uint32_t effective_user() { return static_cast<std::uint32_t>(call(SYS_geteuid)); }

std::uint32_t process_token() {
  std::uint32_t* const word = wiped_on_fork();
  if (word == nullptr) return process_id();
  std::uint32_t token = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  if (token != 0) return token;
  const std::uint32_t own = new_token();
  if (__atomic_compare_exchange_n(word, &token, own, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return own;
  return token;
}

void release_token() { unmap(__atomic_exchange_n(&token_word, nullptr, __ATOMIC_ACQ_REL), kTokenPage); }

bool bind_thread(const std::uint64_t* cpu_mask, std::uint32_t words) {
  return call(SYS_sched_setaffinity, 0, sizeof *cpu_mask * words, cpu_mask) >= 0;
}
std::uint64_t monotonic_ns() { return read_clock(CLOCK_MONOTONIC); }
std::uint64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

void pause(std::uint64_t ns) {
  timespec time{};
  time.tv_sec = static_cast<time_t>(ns / 1'000'000'000u);
  time.tv_nsec = static_cast<long>(ns % 1'000'000'000u);
  call(SYS_nanosleep, &time, nullptr);
}

void end_process() {
  call(SYS_kill, static_cast<long>(process_id()), SIGABRT);
  call(SYS_exit_group, 128 + SIGABRT);  // where the signal is held back
  __builtin_unreachable();
}

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
