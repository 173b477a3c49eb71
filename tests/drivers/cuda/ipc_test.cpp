// SPDX-License-Identifier: Apache-2.0
// Device memory of one process in another, by a handle of 64 bytes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kWords = 5000;  // no whole pages

struct Ticket {
  unsigned char bytes[64];
};
using Get = int(Ticket*, Pointer);
using Open = int(Pointer*, Ticket, unsigned);
using Close = int(Pointer);

int open_in_other(const Cuda& cuda, Ticket ticket) {
  cuda.context();
  const std::size_t before = cuda.free_memory();
  Pointer at = 0;
  Pointer again = 0;
  CUDA_STEP(1, kInvalidValue, cuda.call<Open>("cuIpcOpenMemHandle_v2", &at, ticket, 0u));
  // Whatever is wrong with a handle is told.
  for (std::size_t byte = 0; byte < 24; ++byte) {
    Ticket wrong = ticket;
    wrong.bytes[byte] ^= 0x41;
    CUDA_STEP(2, kInvalidHandle, cuda.call<Open>("cuIpcOpenMemHandle_v2", &at, wrong, 1u));
  }
  CUDA_STEP(3, kSuccess, cuda.call<Open>("cuIpcOpenMemHandle_v2", &at, ticket, 1u));
  CUDA_STEP(4, kSuccess, cuda.call<Open>("cuIpcOpenMemHandle_v2", &again, ticket, 1u));
  CUDA_STEP(5, at, again);
  CUDA_STEP(6, before, cuda.free_memory());
  std::vector<unsigned> seen(kWords);
  CUDA_STEP(7, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", seen.data(), at, 4 * kWords));
  for (unsigned i = 0; i < kWords; ++i)
    CUDA_STEP(8, i * 3, seen[i]);
  unsigned type = 0;
  CUDA_STEP(9, kSuccess,
            cuda.call<int(void*, int, Pointer)>("cuPointerGetAttribute", static_cast<void*>(&type), 2, at));
  CUDA_STEP(10, 2u, type);
  CUDA_STEP(11, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", at));
  CUDA_STEP(12, kSuccess, cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", at, 77u, 10));
  CUDA_STEP(13, kSuccess, cuda.call<Close>("cuIpcCloseMemHandle", at));
  CUDA_STEP(14, kSuccess, cuda.call<Close>("cuIpcCloseMemHandle", at));
  CUDA_STEP(15, kInvalidValue, cuda.call<Close>("cuIpcCloseMemHandle", at));
  CUDA_STEP(16, kInvalidValue, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", seen.data(), at, 4));
  return 0;
}

int share(const Cuda& cuda, int to_other, int from_other) {
  cuda.context();
  const std::size_t before = cuda.free_memory();
  const Pointer memory = cuda.allocate(4 * kWords);
  const std::size_t left = cuda.free_memory();
  std::vector<unsigned> words(kWords);
  for (unsigned i = 0; i < kWords; ++i)
    words[i] = i * 3;
  CUDA_STEP(1, kSuccess, cuda.call<CopyTo>("cuMemcpyHtoD_v2", memory, words.data(), 4 * kWords));
  Ticket ticket{};
  Pointer own = 0;
  CUDA_STEP(2, kInvalidValue, cuda.call<Get>("cuIpcGetMemHandle", &ticket, memory + (1u << 24)));
  CUDA_STEP(3, kSuccess, cuda.call<Get>("cuIpcGetMemHandle", &ticket, memory));
  CUDA_STEP(4, kInvalidContext, cuda.call<Open>("cuIpcOpenMemHandle_v2", &own, ticket, 1u));
  CUDA_STEP(5, left, cuda.free_memory());
  char code = '-';
  if (::write(to_other, &ticket, sizeof ticket) != static_cast<ssize_t>(sizeof ticket)) return 6;
  if (::read(from_other, &code, 1) != 1) return 7;
  CUDA_STEP(8, 'y', code);
  CUDA_STEP(9, kSuccess, cuda.call<CopyFrom>("cuMemcpyDtoH_v2", words.data(), memory, 4 * kWords));
  for (unsigned i = 0; i < kWords; ++i)
    CUDA_STEP(10, i < 10 ? 77u : i * 3, words[i]);
  CUDA_STEP(11, kSuccess, cuda.call<int(Pointer)>("cuMemFree_v2", memory));
  CUDA_STEP(12, before, cuda.free_memory());
  return 0;
}

TEST(CudaIpc, AnotherProcessReadsAndWritesTheMemory) {
  int to_other[2] = {};
  int from_other[2] = {};
  ASSERT_EQ(::pipe(to_other), 0);
  ASSERT_EQ(::pipe(from_other), 0);
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  if (other == 0) {
    ::close(to_other[1]);
    Ticket ticket{};
    if (::read(to_other[0], &ticket, sizeof ticket) != static_cast<ssize_t>(sizeof ticket)) ::_exit(1);
    const std::string ended = in_cuda({}, [&](const Cuda& cuda) { return open_in_other(cuda, ticket); });
    const char code = ended == "exit 0" ? 'y' : 'n';
    if (code == 'n') std::fprintf(stderr, "the other process: %s\n", ended.c_str());
    ::_exit(::write(from_other[1], &code, 1) == 1 ? 0 : 1);
  }
  ::close(from_other[1]);
  EXPECT_EQ(in_cuda({}, [&](const Cuda& cuda) { return share(cuda, to_other[1], from_other[0]); }), "exit 0");
  ::close(to_other[1]);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace nvmlab::cuda_test
