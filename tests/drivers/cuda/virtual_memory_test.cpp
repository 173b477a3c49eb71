// SPDX-License-Identifier: Apache-2.0
// Ranges of addresses, memory by handles, mappings, access; memory of one process in another by a descriptor.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {
namespace {

constexpr std::size_t kPiece = std::size_t{2} << 20;

struct Properties {  // CUmemAllocationProp
  int type = 1;
  int handles = 1;
  int location = 1;
  int device = 0;
  void* windows = nullptr;
  unsigned char flags[8] = {};
};
static_assert(sizeof(Properties) == 32);

struct Access {
  int location = 1;
  int device = 0;
  unsigned flags = 3;
};

struct Memory {
  explicit Memory(const Cuda& of) : cuda(of) {}
  int create(Pointer* handle, std::size_t size, int device = 0) const {
    Properties properties;
    properties.device = device;
    return cuda.call<int(Pointer*, std::size_t, void*, unsigned long long)>("cuMemCreate", handle, size,
                                                                            static_cast<void*>(&properties), 0ULL);
  }
  int release(Pointer handle) const { return cuda.call<int(Pointer)>("cuMemRelease", handle); }
  int reserve(Pointer* at, std::size_t size, std::size_t alignment = 0) const {
    return cuda.call<int(Pointer*, std::size_t, std::size_t, Pointer, unsigned long long)>("cuMemAddressReserve", at,
                                                                                           size, alignment, 0ULL, 0ULL);
  }
  int free(Pointer at, std::size_t size) const {
    return cuda.call<int(Pointer, std::size_t)>("cuMemAddressFree", at, size);
  }
  int map(Pointer at, std::size_t size, Pointer handle, std::size_t offset = 0) const {
    return cuda.call<int(Pointer, std::size_t, std::size_t, Pointer, unsigned long long)>("cuMemMap", at, size, offset,
                                                                                          handle, 0ULL);
  }
  int unmap(Pointer at, std::size_t size) const { return cuda.call<int(Pointer, std::size_t)>("cuMemUnmap", at, size); }
  int access(Pointer at, std::size_t size, unsigned flags = 3) const {
    Access asked{1, 0, flags};
    return cuda.call<int(Pointer, std::size_t, void*, std::size_t)>("cuMemSetAccess", at, size,
                                                                    static_cast<void*>(&asked), 1);
  }
  int fill(Pointer at, unsigned value, std::size_t count) const {
    return cuda.call<int(Pointer, unsigned, std::size_t)>("cuMemsetD32_v2", at, value, count);
  }
  unsigned read(Pointer at) const {
    unsigned value = ~0u;
    cuda.call<CopyFrom>("cuMemcpyDtoH_v2", &value, at, 4);
    return value;
  }

  const Cuda& cuda;
};

TEST(CudaVirtualMemory, PiecesSideBySideAreOneMemory) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Memory memory(cuda);
                      const std::size_t before = cuda.free_memory();
                      Pointer range = 0;
                      Pointer handles[2] = {};
                      CUDA_STEP(1, kSuccess, memory.reserve(&range, 8 * kPiece, 16 * kPiece));
                      CUDA_STEP(2, 0u, range % (16 * kPiece));
                      CUDA_STEP(3, before, cuda.free_memory());
                      CUDA_STEP(4, kSuccess, memory.create(&handles[0], 2 * kPiece));
                      CUDA_STEP(5, kSuccess, memory.create(&handles[1], kPiece));
                      CUDA_STEP(6, before - 3 * kPiece, cuda.free_memory());
                      CUDA_STEP(7, kSuccess, memory.map(range, 2 * kPiece, handles[0]));
                      CUDA_STEP(8, kSuccess, memory.map(range + 2 * kPiece, kPiece, handles[1]));
                      // Nobody reaches it yet.
                      CUDA_STEP(9, kInvalidValue, memory.fill(range, 1, 1));
                      CUDA_STEP(10, kInvalidValue, memory.access(range, 4 * kPiece));
                      CUDA_STEP(11, kInvalidValue, memory.access(range, kPiece));
                      CUDA_STEP(12, kSuccess, memory.access(range, 3 * kPiece));
                      CUDA_STEP(13, kSuccess, memory.fill(range, 7, 3 * kPiece / 4));
                      CUDA_STEP(14, kInvalidValue, memory.fill(range, 7, 3 * kPiece / 4 + 1));
                      CUDA_STEP(15, 7u, memory.read(range + 2 * kPiece));
                      CUDA_STEP(16, 7u, memory.read(range + 3 * kPiece - 4));
                      // A kernel goes over the border.
                      Pointer sum = range + 2 * kPiece - 128;
                      unsigned count = 64;
                      memory.fill(sum, 0x3F800000u, 64);
                      void* parameters[] = {&sum, &sum, &sum, &count};
                      void* add = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
                      CUDA_STEP(17, kSuccess, launch(cuda, add, 1, 64, parameters));
                      CUDA_STEP(18, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
                      CUDA_STEP(19, 0x40000000u, memory.read(sum));
                      CUDA_STEP(20, 0x40000000u, memory.read(sum + 252));
                      // The same memory at two places.
                      CUDA_STEP(21, kSuccess, memory.map(range + 4 * kPiece, kPiece, handles[1]));
                      CUDA_STEP(22, kSuccess, memory.access(range + 4 * kPiece, kPiece));
                      CUDA_STEP(23, kSuccess, memory.fill(range + 2 * kPiece, 9, 1));
                      CUDA_STEP(24, 9u, memory.read(range + 4 * kPiece));
                      Pointer same = 0;
                      CUDA_STEP(25, kSuccess,
                                cuda.call<int(Pointer*, Pointer)>("cuMemRetainAllocationHandle", &same,
                                                                  range + 2 * kPiece + 100));
                      CUDA_STEP(26, handles[1], same);
                      // It goes with its last handle and mapping.
                      for (int i = 0; i < 2; ++i)
                        CUDA_STEP(27, kSuccess, memory.release(handles[1]));
                      CUDA_STEP(28, kInvalidValue, memory.release(handles[1]));
                      CUDA_STEP(29, 9u, memory.read(range + 4 * kPiece));
                      CUDA_STEP(30, kInvalidValue, memory.free(range, 8 * kPiece));
                      CUDA_STEP(31, kInvalidValue, cuda.call<int(Pointer)>("cuMemFree_v2", range));
                      CUDA_STEP(32, kSuccess, memory.unmap(range + 4 * kPiece, kPiece));
                      CUDA_STEP(33, kInvalidValue, memory.unmap(range, kPiece));
                      CUDA_STEP(34, kSuccess, memory.unmap(range, 3 * kPiece));
                      CUDA_STEP(35, before - 2 * kPiece, cuda.free_memory());
                      CUDA_STEP(36, kInvalidValue, memory.fill(range, 1, 1));
                      CUDA_STEP(37, kSuccess, memory.release(handles[0]));
                      CUDA_STEP(38, before, cuda.free_memory());
                      CUDA_STEP(39, kSuccess, memory.free(range, 8 * kPiece));
                      CUDA_STEP(40, kInvalidValue, memory.free(range, 8 * kPiece));
                      return 0;
                    }),
            "exit 0");
}

TEST(CudaVirtualMemory, BadNumbersAreRefused) {
  EXPECT_EQ(in_cuda({},
                    [](const Cuda& cuda) {
                      cuda.context();
                      const Memory memory(cuda);
                      Pointer range = 0;
                      Pointer handle = 0;
                      Pointer other = 0;
                      CUDA_STEP(1, kInvalidValue, memory.create(&handle, kPiece + 4096));
                      CUDA_STEP(2, kInvalidDevice, memory.create(&handle, kPiece, 4000));
                      CUDA_STEP(3, kOutOfMemory, memory.create(&handle, std::size_t{1} << 45));
                      CUDA_STEP(4, kInvalidValue, memory.reserve(&range, kPiece, 3 * kPiece));
                      CUDA_STEP(5, kSuccess, memory.reserve(&range, 2 * kPiece));
                      CUDA_STEP(6, kSuccess, memory.create(&handle, kPiece));
                      CUDA_STEP(7, kInvalidValue, memory.map(range, 2 * kPiece, handle));
                      CUDA_STEP(8, kInvalidValue, memory.map(range, kPiece, handle, kPiece));
                      CUDA_STEP(9, kInvalidValue, memory.map(range + 2 * kPiece, kPiece, handle));
                      for (int bit = 0; bit < 64; ++bit) {
                        if (bit != 21) CUDA_STEP(10, kInvalidValue, memory.map(range ^ 1ull << bit, kPiece, handle));
                        CUDA_STEP(11, kInvalidValue, memory.map(range, kPiece, handle ^ 1ull << bit));
                        CUDA_STEP(12, kInvalidValue, memory.unmap(range, 1ull << bit));
                        CUDA_STEP(13, kInvalidValue, memory.access(range, 1ull << bit));
                      }
                      CUDA_STEP(14, kSuccess, memory.map(range, kPiece, handle));
                      CUDA_STEP(15, kInvalidValue, memory.map(range, kPiece, handle));
                      // Descriptors that are none of these: of a pipe, of nothing.
                      int ends[2] = {};
                      if (::pipe(ends) != 0) return 16;
                      using Import = int(Pointer*, void*, int);
                      for (const int fd : {ends[0], 1000, -1})
                        CUDA_STEP(17, kInvalidValue,
                                  cuda.call<Import>("cuMemImportFromShareableHandle", &other,
                                                    reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)), 1));
                      return 0;
                    }),
            "exit 0");
}

// The importer is a process of its own: forked before CUDA began, with the descriptor passed by its number in /proc.
TEST(CudaVirtualMemory, AnotherProcessMapsItByADescriptor) {
  int to_other[2] = {};
  int from_other[2] = {};
  ASSERT_EQ(::pipe(to_other), 0);
  ASSERT_EQ(::pipe(from_other), 0);
  const pid_t other = ::fork();
  ASSERT_GE(other, 0);
  struct Message {
    int process;
    int fd;
  };
  if (other == 0) {
    ::close(to_other[1]);
    const std::string ended = in_cuda({}, [&](const Cuda& cuda) {
      cuda.context();
      const Memory memory(cuda);
      Message message{};
      if (::read(to_other[0], &message, sizeof message) != static_cast<ssize_t>(sizeof message)) return 1;
      const std::string path = "/proc/" + std::to_string(message.process) + "/fd/" + std::to_string(message.fd);
      const int fd = ::open(path.c_str(), O_RDWR);
      const std::size_t before = cuda.free_memory();
      Pointer handle = 0;
      CUDA_STEP(2, kSuccess,
                cuda.call<int(Pointer*, void*, int)>("cuMemImportFromShareableHandle", &handle,
                                                     reinterpret_cast<void*>(static_cast<std::intptr_t>(fd)), 1));
      CUDA_STEP(3, before, cuda.free_memory());
      Pointer range = 0;
      CUDA_STEP(4, kSuccess, memory.reserve(&range, kPiece));
      CUDA_STEP(5, kSuccess, memory.map(range, kPiece, handle));
      CUDA_STEP(6, kSuccess, memory.access(range, kPiece));
      CUDA_STEP(7, 21u, memory.read(range + kPiece - 4));
      CUDA_STEP(8, kSuccess, memory.fill(range, 22, 1));
      CUDA_STEP(9, kSuccess, cuda.call<int()>("cuCtxSynchronize"));
      return 0;
    });
    const char code = ended == "exit 0" ? 'y' : 'n';
    if (::write(from_other[1], &code, 1) != 1) ::_exit(1);
    ::_exit(0);
  }
  ::close(from_other[1]);
  EXPECT_EQ(in_cuda({},
                    [&](const Cuda& cuda) {
                      cuda.context();
                      const Memory memory(cuda);
                      Pointer handle = 0;
                      Pointer range = 0;
                      CUDA_STEP(1, kSuccess, memory.create(&handle, kPiece));
                      CUDA_STEP(2, kSuccess, memory.reserve(&range, kPiece));
                      CUDA_STEP(3, kSuccess, memory.map(range, kPiece, handle));
                      CUDA_STEP(4, kSuccess, memory.access(range, kPiece));
                      CUDA_STEP(5, kSuccess, memory.fill(range, 21, kPiece / 4));
                      CUDA_STEP(11, kSuccess, cuda.call<int()>("cuCtxSynchronize"));  // nobody else waits for a fill
                      Message message{::getpid(), -1};
                      CUDA_STEP(6, kSuccess,
                                cuda.call<int(void*, Pointer, int, unsigned long long)>(
                                    "cuMemExportToShareableHandle", static_cast<void*>(&message.fd), handle, 1, 0ULL));
                      if (::write(to_other[1], &message, sizeof message) != static_cast<ssize_t>(sizeof message))
                        return 7;
                      char code = '-';
                      if (::read(from_other[0], &code, 1) != 1) return 8;
                      CUDA_STEP(9, 'y', code);
                      CUDA_STEP(10, 22u, memory.read(range));
                      return 0;
                    }),
            "exit 0");
  ::close(to_other[1]);
  ::waitpid(other, nullptr, 0);
}

}  // namespace
}  // namespace nvmlab::cuda_test
