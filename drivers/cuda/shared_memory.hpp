// SPDX-License-Identifier: Apache-2.0
//
// Device memory that more than one process may map, or one process twice: a file in memory, sealed at its size, with a
// page behind the memory that says what it is. A descriptor that a stranger gives is believed nothing else. Tests:
// tests/drivers/cuda/virtual_memory_test.cpp, ipc_test.cpp.
#pragma once

#include <cstdint>

namespace nvmlab::cuda {

struct SharedFacts {
  std::uint64_t size;  // of the memory, in whole pages
  std::uint32_t gpu;   // as in VisibleDevice
  std::uint32_t mig;
};

// A descriptor, or -1.
int create_shared(const SharedFacts& facts);
int duplicate_shared(int fd);
void close_shared(int fd);
bool read_shared(int fd, SharedFacts* facts);  // false: it is none of these
bool same_shared(int fd, int other);           // the same memory
// Of a process that is there, by its number and that of its descriptor; -1: that is none of these.
int open_shared(std::uint32_t process, std::uint32_t fd, std::uint64_t inode, std::uint64_t device);

// Null on failure; at `place`, over what was mapped there, where it is not null.
void* map_shared_memory(void* place, int fd, std::uint64_t size);
// Addresses that nothing lies at; false and null on failure.
void* reserve_addresses(void* hint, std::uint64_t size);
bool vacate_addresses(void* place, std::uint64_t size);
// What private memory holds goes into the file, which takes its place.
bool move_to_shared(void* memory, int fd, std::uint64_t size);

}  // namespace nvmlab::cuda
