// SPDX-License-Identifier: Apache-2.0
// Memory pools of one process in another, by a descriptor and 64 bytes for each allocation.
#include <gtest/gtest.h>
#include <signal.h>

#include <vector>

#include "tests/drivers/cuda/pool_properties.hpp"
#include "tests/drivers/cuda/two_processes.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;
constexpr std::size_t kWords = 5000;  // no whole pages
constexpr int kByDescriptor = 1;

struct Ticket {
  unsigned char bytes[64];
};
using Create = int(void**, void*);
using Allocate = int(Pointer*, std::size_t, void*, void*);
using Export = int(void*, void*, int, unsigned long long);
using Import = int(void**, void*, int, unsigned long long);
using ExportPointer = int(Ticket*, Pointer);
using ImportPointer = int(Pointer*, void*, Ticket*);
using Fill = int(Pointer, unsigned, std::size_t);

void* create(const Cuda& cuda, int handles) {
  PoolProperties properties;
  properties.handles = handles;
  void* pool = nullptr;
  const int code = cuda.call<Create>("cuMemPoolCreate", &pool, static_cast<void*>(&properties));
  return code == kSuccess ? pool : nullptr;
}
Pointer allocate(const Cuda& cuda, void* pool, std::size_t size) {
  Pointer made = 0;
  cuda.call<Allocate>("cuMemAllocFromPoolAsync", &made, size, pool, nullptr);
  return made;
}
int import(const Cuda& cuda, void** pool, int fd, int type = kByDescriptor, unsigned long long flags = 0) {
  void* const handle = reinterpret_cast<void*>(static_cast<std::intptr_t>(fd));
  return cuda.call<Import>("cuMemPoolImportFromShareableHandle", pool, handle, type, flags);
}
int holds(const Cuda& cuda, Pointer at, unsigned value) {
  std::vector<unsigned> seen(kWords);
  if (cuda.call<CopyFrom>("cuMemcpyDtoH_v2", seen.data(), at, 4 * kWords) != kSuccess) return 1;
  for (const unsigned each : seen)
    if (each != value) return 2;
  return 0;
}

int gives(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  const std::size_t before = cuda.free_memory();
  void* pool = create(cuda, kByDescriptor);
  Pointer memory[3] = {};
  Ticket tickets[3] = {};
  for (unsigned i = 0; i < 3; ++i) {
    memory[i] = allocate(cuda, pool, 4 * kWords);
    CUDA_STEP(1, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory[i], 11 + i, kWords));
    CUDA_STEP(2, kSuccess, cuda.call<ExportPointer>("cuMemPoolExportPointer", &tickets[i], memory[i]));
    line.tell(tickets[i]);
  }
  int file = -1;
  CUDA_STEP(3, kSuccess, cuda.call<Export>("cuMemPoolExportToShareableHandle", static_cast<void*>(&file), pool, 1, 0));
  line.give(file);
  ::close(file);
  CUDA_STEP(4, 'w', line.hear<char>());  // it has written
  CUDA_STEP(5, 0, holds(cuda, memory[0], 11));
  CUDA_STEP(6, 0, holds(cuda, memory[1], 77));
  CUDA_STEP(7, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory[2], 99, kWords));
  line.tell('w');
  CUDA_STEP(8, 'f', line.hear<char>());  // it has freed
  for (const Pointer each : memory)
    CUDA_STEP(9, kSuccess, cuda.call<int(Pointer, void*)>("cuMemFreeAsync", each, nullptr));
  CUDA_STEP(10, kSuccess, cuda.call<int(void*)>("cuMemPoolDestroy", pool));
  CUDA_STEP(11, before, cuda.free_memory());
  return 0;
}

int takes(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  Ticket tickets[3] = {};
  for (Ticket& each : tickets)
    each = line.hear<Ticket>();
  const int file = line.take();
  void* pool = nullptr;
  Pointer at[3] = {};
  CUDA_STEP(1, kInvalidValue, import(cuda, &pool, file, 2));
  CUDA_STEP(2, kInvalidValue, import(cuda, &pool, file, 1, 1));
  CUDA_STEP(3, kSuccess, import(cuda, &pool, file));
  // Nor is it memory of another kind.
  CUDA_STEP(4, kInvalidValue,
            cuda.call<int(Pointer*, void*, int)>("cuMemImportFromShareableHandle", &at[0],
                                                 reinterpret_cast<void*>(static_cast<std::intptr_t>(file)), 1));
  ::close(file);
  // Nothing is allocated from it.
  CUDA_STEP(5, kInvalidValue, cuda.call<Allocate>("cuMemAllocFromPoolAsync", &at[0], 4096, pool, nullptr));
  CUDA_STEP(6, kInvalidValue, cuda.call<int(int, void*)>("cuDeviceSetMemPool", 0, pool));
  const std::size_t before = cuda.free_memory();
  for (std::size_t byte = 0; byte < 32; ++byte) {
    Ticket wrong = tickets[0];
    wrong.bytes[byte] ^= 0x81;
    const int code = cuda.call<ImportPointer>("cuMemPoolImportPointer", &at[0], pool, &wrong);
    CUDA_STEP(7, true, byte >= 16 || code == kInvalidValue);
    if (code == kSuccess) cuda.call<int(Pointer)>("cuMemFree_v2", at[0]);
  }
  for (unsigned i = 0; i < 3; ++i)
    CUDA_STEP(8, kSuccess, cuda.call<ImportPointer>("cuMemPoolImportPointer", &at[i], pool, &tickets[i]));
  for (unsigned i = 0; i < 3; ++i)
    CUDA_STEP(9, 0, holds(cuda, at[i], 11 + i));
  CUDA_STEP(10, before, cuda.free_memory());
  CUDA_STEP(11, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", at[1], 77, kWords));
  Ticket own{};
  CUDA_STEP(12, kInvalidValue, cuda.call<ExportPointer>("cuMemPoolExportPointer", &own, at[1]));
  line.tell('w');
  CUDA_STEP(13, 'w', line.hear<char>());
  CUDA_STEP(14, 0, holds(cuda, at[2], 99));
  // Memory keeps its pool until it is freed.
  CUDA_STEP(15, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", at[0]));
  CUDA_STEP(16, kSuccess, cuda.call<int(void*)>("cuMemPoolDestroy", pool));
  CUDA_STEP(17, 0, holds(cuda, at[2], 99));
  CUDA_STEP(18, kInvalidValue, cuda.call<ImportPointer>("cuMemPoolImportPointer", &at[0], pool, &tickets[0]));
  for (unsigned i = 1; i < 3; ++i)
    CUDA_STEP(19, kSuccess, cuda.call<int(Pointer, void*)>("cuMemFreeAsync", at[i], nullptr));
  CUDA_STEP(20, kSuccess, bench.synchronize(nullptr));
  CUDA_STEP(21, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", at[1]));
  CUDA_STEP(22, before, cuda.free_memory());
  line.tell('f');
  return 0;
}

TEST(CudaIpcPools, AnotherProcessReadsAndWritesWhatIsAllocated) {
  EXPECT_EQ(two_processes(gives, takes), "exit 0, exit 0");
}

int outlives(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  auto ticket = line.hear<Ticket>();
  const auto process = line.hear<pid_t>();
  const int file = line.take();
  void* pool = nullptr;
  Pointer at[2] = {};
  CUDA_STEP(1, kSuccess, import(cuda, &pool, file));
  CUDA_STEP(2, kSuccess, cuda.call<ImportPointer>("cuMemPoolImportPointer", &at[0], pool, &ticket));
  if (::kill(process, SIGKILL) != 0) return 3;
  CUDA_STEP(4, 0, holds(cuda, at[0], 5));
  CUDA_STEP(5, kSuccess, cuda.call<ImportPointer>("cuMemPoolImportPointer", &at[1], pool, &ticket));
  CUDA_STEP(6, 0, holds(cuda, at[1], 5));
  CUDA_STEP(7, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", at[0]));
  return 0;
}

int dies(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  void* pool = create(cuda, kByDescriptor);
  const Pointer memory = allocate(cuda, pool, 4 * kWords);
  Ticket ticket{};
  int file = -1;
  CUDA_STEP(1, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", memory, 5, kWords));
  CUDA_STEP(2, kSuccess, cuda.call<ExportPointer>("cuMemPoolExportPointer", &ticket, memory));
  CUDA_STEP(3, kSuccess, cuda.call<Export>("cuMemPoolExportToShareableHandle", static_cast<void*>(&file), pool, 1, 0));
  line.tell(ticket);
  line.tell(::getpid());
  line.give(file);
  return line.hear<char>();
}

TEST(CudaIpcPools, MemoryOutlivesTheProcessThatIsKilled) {
  EXPECT_EQ(two_processes(outlives, dies), "exit 0, signal 9");
}

int refusals(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  CUDA_STEP(1, 1, cuda.attribute(115, 0));
  CUDA_STEP(2, kByDescriptor, cuda.attribute(119, 0));
  void* plain = create(cuda, 0);
  void* shared = create(cuda, kByDescriptor);
  CUDA_STEP(3, true, plain != nullptr && shared != nullptr && create(cuda, 8) == nullptr);
  int file = -1;
  void* const out = &file;
  CUDA_STEP(4, kInvalidValue, cuda.call<Export>("cuMemPoolExportToShareableHandle", out, plain, 1, 0));
  for (const int type : {0, 2, 8})
    CUDA_STEP(5, kInvalidValue, cuda.call<Export>("cuMemPoolExportToShareableHandle", out, shared, type, 0));
  CUDA_STEP(6, kInvalidValue, cuda.call<Export>("cuMemPoolExportToShareableHandle", out, shared, 1, 1));
  CUDA_STEP(7, kInvalidValue, cuda.call<Export>("cuMemPoolExportToShareableHandle", nullptr, shared, 1, 0));
  Ticket ticket{};
  const Pointer of_plain = allocate(cuda, plain, kMiB);
  const Pointer of_shared = allocate(cuda, shared, kMiB);
  for (const Pointer wrong : {Pointer{0}, of_plain, of_shared + 4096, cuda.allocate(kMiB), bench.at(0)})
    CUDA_STEP(8, kInvalidValue, cuda.call<ExportPointer>("cuMemPoolExportPointer", &ticket, wrong));
  CUDA_STEP(9, kSuccess, cuda.call<ExportPointer>("cuMemPoolExportPointer", &ticket, of_shared));
  Pointer made = 0;
  for (void* pool : {plain, shared, static_cast<void*>(nullptr)})
    CUDA_STEP(10, kInvalidValue, cuda.call<ImportPointer>("cuMemPoolImportPointer", &made, pool, &ticket));
  // Descriptors that are none of these: of a pipe, of nothing, of memory.
  int ends[2] = {};
  if (::pipe(ends) != 0) return 11;
  void* imported = nullptr;
  for (const int fd : {ends[0], 1000, -1})
    CUDA_STEP(12, kInvalidValue, import(cuda, &imported, fd));
  // Its own descriptor makes a second pool of the same memory.
  CUDA_STEP(13, kSuccess, cuda.call<Export>("cuMemPoolExportToShareableHandle", out, shared, 1, 0));
  CUDA_STEP(14, kSuccess, import(cuda, &imported, file));
  CUDA_STEP(15, kSuccess, cuda.call<ImportPointer>("cuMemPoolImportPointer", &made, imported, &ticket));
  CUDA_STEP(16, kSuccess, cuda.call<Fill>("cuMemsetD32_v2", of_shared, 3, kWords));
  CUDA_STEP(17, 0, holds(cuda, made, 3));
  // What was freed is zero when it is allocated again.
  CUDA_STEP(18, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", made));
  CUDA_STEP(19, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", of_shared));
  CUDA_STEP(20, 0, holds(cuda, allocate(cuda, shared, kMiB), 0));
  return 0;
}

TEST(CudaIpcPools, WhatCannotBeSharedIsRefused) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, refusals); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
