// SPDX-License-Identifier: Apache-2.0
// Events of one process in another, by a handle of 64 bytes; processes that are killed in between.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/drivers/cuda/two_processes.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr unsigned kShared = 2 | 4;  // without time, for other processes

struct Ticket {
  unsigned char bytes[64];
};
using Get = int(Ticket*, void*);
using Open = int(void**, Ticket);
using OneHandle = int(void*);
using Record = int(void*, void*);
using Wait = int(void*, void*, unsigned);

void* shared_event(const Cuda& cuda) {
  void* made = nullptr;
  cuda.call<int(void**, unsigned)>("cuEventCreate", &made, kShared);
  return made;
}
void* opened(const Cuda& cuda, const Ticket& ticket) {
  void* made = nullptr;
  return cuda.call<Open>("cuIpcOpenEventHandle", &made, ticket) == kSuccess ? made : nullptr;
}
int query(const Cuda& cuda, void* event) { return cuda.call<OneHandle>("cuEventQuery", event); }

// Records behind a gate, opens it when it is told to, then waits for what the other one records.
int records_first(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  void* event = shared_event(cuda);
  CUDA_STEP(1, kSuccess, query(cuda, event));  // never recorded
  CUDA_STEP(2, kSuccess, bench.gate(stream, 0));
  CUDA_STEP(3, kSuccess, cuda.call<Record>("cuEventRecord", event, stream));
  CUDA_STEP(4, kNotReady, query(cuda, event));
  Ticket ticket{};
  CUDA_STEP(5, kSuccess, cuda.call<Get>("cuIpcGetEventHandle", &ticket, event));
  line.tell(ticket);
  CUDA_STEP(6, 'o', line.hear<char>());
  bench.open(0);
  CUDA_STEP(7, kSuccess, cuda.call<OneHandle>("cuEventSynchronize", event));
  CUDA_STEP(8, 'r', line.hear<char>());  // it has recorded, behind a gate of its own
  CUDA_STEP(9, kNotReady, query(cuda, event));
  CUDA_STEP(10, kSuccess, cuda.call<Wait>("cuStreamWaitEvent", stream, event, 0u));
  CUDA_STEP(11, kSuccess, bench.write(stream, 1, 5));
  CUDA_STEP(12, kNotReady, bench.query(stream));
  CUDA_STEP(13, 0u, bench.read(1));
  line.tell('o');
  CUDA_STEP(14, kSuccess, bench.synchronize(stream));
  CUDA_STEP(15, 5u, bench.read(1));
  CUDA_STEP(16, kSuccess, query(cuda, event));
  line.tell('e');
  return 0;
}

int records_second(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  const auto ticket = line.hear<Ticket>();
  for (std::size_t byte = 0; byte < 24; ++byte) {
    Ticket wrong = ticket;
    wrong.bytes[byte] ^= 0x41;
    void* made = nullptr;
    CUDA_STEP(1, kInvalidHandle, cuda.call<Open>("cuIpcOpenEventHandle", &made, wrong));
  }
  Pointer memory = 0;
  CUDA_STEP(2, kInvalidHandle,
            cuda.call<int(Pointer*, Ticket, unsigned)>("cuIpcOpenMemHandle_v2", &memory, ticket, 1u));
  void* event = opened(cuda, ticket);
  void* again = opened(cuda, ticket);
  CUDA_STEP(3, true, event != nullptr && again != nullptr && event != again);
  CUDA_STEP(4, kNotReady, query(cuda, event));
  CUDA_STEP(5, kSuccess, cuda.call<Wait>("cuStreamWaitEvent", stream, event, 0u));
  CUDA_STEP(6, kSuccess, bench.write(stream, 1, 7));
  CUDA_STEP(7, kNotReady, bench.query(stream));
  line.tell('o');
  CUDA_STEP(8, kSuccess, cuda.call<OneHandle>("cuEventSynchronize", event));
  CUDA_STEP(9, kSuccess, query(cuda, again));
  CUDA_STEP(10, kSuccess, bench.synchronize(stream));
  CUDA_STEP(11, 7u, bench.read(1));
  CUDA_STEP(12, kSuccess, bench.gate(stream, 0));
  CUDA_STEP(13, kSuccess, cuda.call<Record>("cuEventRecord", again, stream));
  CUDA_STEP(14, kNotReady, query(cuda, event));
  line.tell('r');
  CUDA_STEP(15, 'o', line.hear<char>());
  // A handle that is destroyed leaves what it has recorded.
  CUDA_STEP(16, kSuccess, cuda.call<OneHandle>("cuEventDestroy_v2", again));
  bench.open(0);
  CUDA_STEP(17, kSuccess, bench.synchronize(stream));
  CUDA_STEP(18, 'e', line.hear<char>());
  float time = 0;
  CUDA_STEP(19, kInvalidHandle, cuda.call<int(float*, void*, void*)>("cuEventElapsedTime", &time, event, event));
  Ticket other{};
  CUDA_STEP(20, kInvalidHandle, cuda.call<Get>("cuIpcGetEventHandle", &other, event));
  CUDA_STEP(21, kSuccess, cuda.call<OneHandle>("cuEventDestroy_v2", event));
  return 0;
}

TEST(CudaIpcEvents, EachProcessWaitsForTheOther) {
  EXPECT_EQ(two_processes(records_first, records_second), "exit 0, exit 0");
}

struct Victim {
  Ticket ticket;
  pid_t process;
};

// What a process has recorded is done when it is killed, and it stays a zombie.
int waits_for_the_dead(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  const auto victim = line.hear<Victim>();
  void* event = opened(cuda, victim.ticket);
  void* stream = bench.stream();
  CUDA_STEP(1, kNotReady, query(cuda, event));
  CUDA_STEP(2, kSuccess, cuda.call<Wait>("cuStreamWaitEvent", stream, event, 0u));
  CUDA_STEP(3, kSuccess, bench.write(stream, 1, 9));
  for (int i = 0; i < 200; ++i)
    CUDA_STEP(4, kNotReady, query(cuda, event));
  CUDA_STEP(5, kNotReady, bench.query(stream));
  if (::kill(victim.process, SIGKILL) != 0) return 6;
  CUDA_STEP(7, kSuccess, cuda.call<OneHandle>("cuEventSynchronize", event));
  CUDA_STEP(8, kSuccess, bench.synchronize(stream));
  CUDA_STEP(9, 9u, bench.read(1));
  // Its memory is still there, and is recorded and waited for.
  CUDA_STEP(10, kSuccess, cuda.call<Record>("cuEventRecord", event, stream));
  CUDA_STEP(11, kSuccess, cuda.call<OneHandle>("cuEventSynchronize", event));
  void* late = nullptr;
  CUDA_STEP(12, kInvalidHandle, cuda.call<Open>("cuIpcOpenEventHandle", &late, victim.ticket));
  return 0;
}

int is_killed(const StreamBench& bench, const Line& line) {
  const Cuda& cuda = bench.cuda;
  void* stream = bench.stream();
  Victim own{{}, ::getpid()};
  void* event = shared_event(cuda);
  CUDA_STEP(1, kSuccess, bench.gate(stream, 0));
  CUDA_STEP(2, kSuccess, cuda.call<Record>("cuEventRecord", event, stream));
  CUDA_STEP(3, kSuccess, cuda.call<Get>("cuIpcGetEventHandle", &own.ticket, event));
  line.tell(own);
  return line.hear<char>();
}

TEST(CudaIpcEvents, WhatTheDeadHaveRecordedIsDone) {
  EXPECT_EQ(two_processes(waits_for_the_dead, is_killed), "exit 0, signal 9");
}

int flags(const StreamBench& bench) {
  const Cuda& cuda = bench.cuda;
  void* event = nullptr;
  const auto create = [&](unsigned of) { return cuda.call<int(void**, unsigned)>("cuEventCreate", &event, of); };
  for (const unsigned wrong : {4u, 5u, 8u, ~0u})
    CUDA_STEP(1, kInvalidValue, create(wrong));
  CUDA_STEP(2, 1, cuda.attribute(125, 0));
  Ticket ticket{};
  for (const unsigned plain : {0u, 1u, 2u, 3u}) {
    CUDA_STEP(3, kSuccess, create(plain));
    CUDA_STEP(4, kInvalidHandle, cuda.call<Get>("cuIpcGetEventHandle", &ticket, event));
  }
  for (const unsigned good : {6u, 7u}) {
    CUDA_STEP(5, kSuccess, create(good));
    CUDA_STEP(6, kSuccess, cuda.call<Get>("cuIpcGetEventHandle", &ticket, event));
    CUDA_STEP(7, kInvalidValue, cuda.call<Get>("cuIpcGetEventHandle", nullptr, event));
    // In its own process it is no handle, as CUDA has it.
    CUDA_STEP(8, kInvalidContext, cuda.call<Open>("cuIpcOpenEventHandle", &event, ticket));
  }
  CUDA_STEP(9, kInvalidHandle, cuda.call<Open>("cuIpcOpenEventHandle", &event, Ticket{}));
  CUDA_STEP(10, kInvalidHandle, cuda.call<Get>("cuIpcGetEventHandle", &ticket, static_cast<void*>(&ticket)));
  // More records than there are places.
  void* stream = bench.stream();
  CUDA_STEP(11, kSuccess, create(6));
  for (int i = 0; i < 5000; ++i)
    CUDA_STEP(12, kSuccess, cuda.call<Record>("cuEventRecord", event, stream));
  CUDA_STEP(13, kSuccess, cuda.call<OneHandle>("cuEventSynchronize", event));
  // Work that uses it outlives it.
  CUDA_STEP(14, kSuccess, bench.gate(stream, 0));
  CUDA_STEP(15, kSuccess, cuda.call<Record>("cuEventRecord", event, stream));
  void* second = bench.stream(kNonBlocking);
  CUDA_STEP(16, kSuccess, cuda.call<Wait>("cuStreamWaitEvent", second, event, 0u));
  CUDA_STEP(17, kSuccess, cuda.call<OneHandle>("cuEventDestroy_v2", event));
  CUDA_STEP(18, kNotReady, bench.query(second));
  bench.open(0);
  CUDA_STEP(19, kSuccess, bench.synchronize(second));
  return 0;
}

TEST(CudaIpcEvents, AreCreatedForItAndHaveNoTime) {
  EXPECT_EQ(in_cuda({}, [](const Cuda& cuda) { return on_bench(cuda, flags); }), "exit 0");
}

}  // namespace
}  // namespace nvmlab::cuda_test
