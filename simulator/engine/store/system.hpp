// SPDX-License-Identifier: Apache-2.0
//
// The few things that the core asks of Linux, without libc (system_call.hpp).
#pragma once

#include <cstdint>

namespace nvmlab::sys {

struct FileFacts {
  bool regular = false;
  std::uint32_t owner = 0;
  std::uint32_t mode = 0;
  std::uint64_t size = 0;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t changed_ns = 0;  // when its content was, since 1970
};

// Each returns a negative errno value on failure.
// Never one of the standard three, into which a client prints, and never waiting for the other end of a FIFO.
int open_file(const char* path, int flags, std::uint32_t mode);
void close_file(int fd);
int inspect(int fd, FileFacts* facts);
int reserve(int fd, std::uint64_t size);  // makes the file so long, with all of its blocks
int set_mode(int fd, std::uint32_t mode);
int set_group(int fd, std::uint32_t group);
int try_lock_file(int fd);  // -EAGAIN: somebody else's; a lock of the open description, which goes with it
void unlock_file(int fd);   // also where a forked child has the open description too
int current_folder(char* path, std::uint64_t size);
int make_folder(const char* path, std::uint32_t mode);
int link_file(const char* from, const char* to);
int remove_file(const char* path);
std::int64_t read_file(int fd, void* to, std::uint64_t size);
std::int64_t read_folder(int fd, void* entries, std::uint64_t size);  // struct dirent64 after another; 0: that was all
// A broken pipe or a full quota raises no signal.
std::int64_t write_quietly(int fd, const void* from, std::uint64_t size);

void* map_private(std::uint64_t size);                     // zeroed memory of this process; null on failure
void* map_shared(int fd, std::uint64_t size, bool write);  // with what others write; null on failure
void unmap(void* memory, std::uint64_t size);
void map_zeros(void* memory, std::uint64_t size);  // in the place of what was mapped there

std::uint32_t process_id();
std::uint32_t process_token();  // tells a process from those that it was forked from; never 0
void release_token();           // what it takes, before the library is unloaded; nobody may hold a lock
std::uint32_t effective_user();
bool bind_thread(const std::uint64_t* cpu_mask, std::uint32_t words);  // the calling one
std::uint64_t monotonic_ns();
std::uint64_t realtime_ns();

void pause(std::uint64_t ns);
[[noreturn]] void end_process();  // as abort() does

// Sleeps while *word == expected, at most timeout_ns. `shared` when the word lies in a file that others map.
void wait_on(const std::uint32_t* word, std::uint32_t expected, std::uint64_t timeout_ns, bool shared);
void wake(const std::uint32_t* word, int waiters, bool shared);

}  // namespace nvmlab::sys
