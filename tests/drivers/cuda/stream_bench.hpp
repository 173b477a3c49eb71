// SPDX-License-Identifier: Apache-2.0
// A context, streams, and words of host memory that streams wait for and write. A gate is a word that a stream waits
// for until the test opens it, so what a test sees of the order of streams does not depend on time.
#pragma once

#include "tests/drivers/cuda/kernels.hpp"

namespace nvmlab::cuda_test {

inline constexpr int kNotReady = 600;
inline constexpr int kNotPermitted = 800;
inline constexpr int kIllegalAddress = 700;
inline constexpr unsigned kNonBlocking = 1;

using HostFunction = void (*)(void*);
inline void* const kLegacy = reinterpret_cast<void*>(1);
inline void* const kPerThread = reinterpret_cast<void*>(2);

struct StreamBench {
  explicit StreamBench(const Cuda& of) : cuda(of) {
    context = cuda.context();
    void* memory = nullptr;
    cuda.call<int(void**, std::size_t)>("cuMemAllocHost_v2", &memory, std::size_t{4096});
    words = static_cast<unsigned*>(memory);
  }
  void* stream(unsigned flags = 0) const {
    void* made = nullptr;
    cuda.call<int(void**, unsigned)>("cuStreamCreate", &made, flags);
    return made;
  }
  void* event() const {
    void* made = nullptr;
    cuda.call<int(void**, unsigned)>("cuEventCreate", &made, 0u);
    return made;
  }
  Pointer at(unsigned word) const { return reinterpret_cast<Pointer>(words + word); }
  // The stream goes on when the word is 1.
  int gate(void* of, unsigned word) const {
    return cuda.call<int(void*, Pointer, unsigned, unsigned)>("cuStreamWaitValue32_v2", of, at(word), 1u, 1u);
  }
  void open(unsigned word) const { __atomic_store_n(words + word, 1u, __ATOMIC_RELEASE); }
  int write(void* of, unsigned word, unsigned value) const {
    return cuda.call<int(void*, Pointer, unsigned, unsigned)>("cuStreamWriteValue32_v2", of, at(word), value, 0u);
  }
  unsigned read(unsigned word) const { return __atomic_load_n(words + word, __ATOMIC_ACQUIRE); }
  int query(void* of) const { return cuda.call<int(void*)>("cuStreamQuery", of); }
  int synchronize(void* of) const { return cuda.call<int(void*)>("cuStreamSynchronize", of); }
  int call(void* of, HostFunction function, void* data) const {
    return cuda.call<int(void*, HostFunction, void*)>("cuLaunchHostFunc", of, function, data);
  }

  const Cuda& cuda;
  void* context = nullptr;
  unsigned* words = nullptr;
};

inline int on_bench(const Cuda& cuda, int (*work)(const StreamBench&)) {
  const StreamBench bench(cuda);
  return bench.words == nullptr ? 240 : work(bench);
}

}  // namespace nvmlab::cuda_test
