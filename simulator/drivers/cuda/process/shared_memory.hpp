// SPDX-License-Identifier: Apache-2.0
//
// What more than one process may map, or one process twice: a file in memory, sealed at its size, with a page behind it
// that says what it is. A descriptor that a stranger gives is believed nothing else. Tests:
// tests/drivers/cuda/virtual_memory_test.cpp, ipc_test.cpp, ipc_events_test.cpp, ipc_pools_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab::cuda {

// A pool is as large as addresses are, and holds what lies in it.
enum class SharedKind : std::uint32_t { memory = 1, pool, event };

struct SharedFacts {
  std::uint64_t size;  // in whole pages
  std::uint32_t gpu;   // as in VisibleDevice
  std::uint32_t mig;
  SharedKind kind;
};

// What a program carries to another process: which descriptor of which process it is, so the two must be of one user
// and see each other's /proc.
struct SharedTicket {
  std::uint32_t process;
  std::uint32_t file;
  std::uint64_t inode;
  std::uint64_t device;
};

// A descriptor, or -1.
int create_shared(const SharedFacts& facts);
int duplicate_shared(int fd);
void close_shared(int fd);
bool read_shared(int fd, SharedKind kind, SharedFacts* facts);  // false: it is none of these
bool same_shared(int fd, int other);                            // the same memory
bool make_ticket(int fd, SharedTicket* out);
// Of a process that is there; -1: that is none of these.
int open_shared(const SharedTicket& ticket, SharedKind kind);

// Finds the visible device that has the shared memory; false if the process does not see it.
bool device_of_shared(std::uint32_t gpu, std::uint32_t mig, std::uint32_t* device);

// Null on failure; at `place`, over what was mapped there, where it is not null.
void* map_shared_memory(void* place, int fd, std::uint64_t size, std::uint64_t offset = 0);
// The system has these bytes back, and whoever still looks at them sees zeros.
void empty_shared(int fd, std::uint64_t offset, std::uint64_t size);
// Addresses that nothing lies at; false and null on failure.
void* reserve_addresses(void* hint, std::uint64_t size);
bool vacate_addresses(void* place, std::uint64_t size);
// What private memory holds goes into the file, which takes its place.
bool move_to_shared(void* memory, int fd, std::uint64_t size);

}  // namespace nvmlab::cuda
