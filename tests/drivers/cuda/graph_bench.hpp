// SPDX-License-Identifier: Apache-2.0
// A graph that is built node by node, and the structs of its nodes.
#pragma once

#include <numeric>
#include <vector>

#include "tests/drivers/cuda/stream_bench.hpp"

namespace nvmlab::cuda_test {

struct End {  // one end of CUDA_MEMCPY3D
  std::size_t x = 0, y = 0, z = 0, level = 0;
  int type = 4;
  void* host = nullptr;
  Pointer device = 0;
  void* array = nullptr;
  void* reserved = nullptr;
  std::size_t pitch = 0, height = 0;
};
struct Copy3D {
  End from, to;
  std::size_t width = 0, height = 1, depth = 1;
};
static_assert(sizeof(Copy3D) == 200);

struct Fill {
  Pointer to = 0;
  std::size_t pitch = 0;
  unsigned value = 0;
  unsigned bytes = 4;
  std::size_t width = 0;
  std::size_t height = 1;
};

struct KernelNode {  // CUDA_KERNEL_NODE_PARAMS of CUDA 12
  void* function = nullptr;
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared = 0;
  void** parameters = nullptr;
  void** extra = nullptr;
  void* kernel = nullptr;
  void* context = nullptr;
};

struct EdgeData {
  unsigned char from_port = 0;
  unsigned char to_port = 0;
  unsigned char type = 0;
  unsigned char reserved[5] = {};
};

struct Parameters {  // CUgraphNodeParams
  int type = 0;
  int reserved[3] = {};
  alignas(8) unsigned char of[232] = {};
  long long last = 0;
};
static_assert(sizeof(Parameters) == 256);

struct UpdateResult {
  int result = -1;
  void* node = nullptr;
  void* from = nullptr;
};

using AddCopy = int(void**, void*, void**, std::size_t, void*, void*);
using AddEvent = int(void**, void*, void**, std::size_t, void*);

struct Graph {
  explicit Graph(const StreamBench& of) : bench(of), cuda(of.cuda) {
    cuda.call<int(void**, unsigned)>("cuGraphCreate", &graph, 0u);
  }
  int copy(void** node, Copy3D& asked, void* before = nullptr) {
    return cuda.call<AddCopy>("cuGraphAddMemcpyNode", node, graph, &before, before != nullptr ? 1 : 0,
                              static_cast<void*>(&asked), bench.context);
  }
  int fill(void** node, Fill& asked, void* before = nullptr) {
    return cuda.call<AddCopy>("cuGraphAddMemsetNode", node, graph, &before, before != nullptr ? 1 : 0,
                              static_cast<void*>(&asked), bench.context);
  }
  int event(const char* name, void** node, void* of, void* before = nullptr) {
    return cuda.call<AddEvent>(name, node, graph, &before, before != nullptr ? 1 : 0, of);
  }
  int kernel(void** node, KernelNode& asked, void* before = nullptr) {
    return cuda.call<AddEvent>("cuGraphAddKernelNode_v2", node, graph, &before, before != nullptr ? 1 : 0,
                               static_cast<void*>(&asked));
  }
  int empty(void** node, void* before = nullptr) {
    return cuda.call<int(void**, void*, void**, std::size_t)>("cuGraphAddEmptyNode", node, graph, &before,
                                                              before != nullptr ? 1 : 0);
  }
  void* executable() const {
    void* made = nullptr;
    cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, graph, 0ULL);
    return made;
  }
  int run(void* made, void* stream = nullptr) const {
    const int code = cuda.call<int(void*, void*)>("cuGraphLaunch", made, stream);
    return code == kSuccess ? bench.synchronize(stream) : code;
  }

  const StreamBench& bench;
  const Cuda& cuda;
  void* graph = nullptr;
};

inline Copy3D line(Pointer to, Pointer from, std::size_t bytes) {
  Copy3D made;
  made.to.device = to;
  made.from.device = from;
  made.width = bytes;
  return made;
}

inline void in_bench(int (*work)(const StreamBench&), std::string* told) {
  *told = in_cuda({}, [&](const Cuda& cuda) { return on_bench(cuda, work); });
}

using Ask = int(void*, void*);

inline constexpr unsigned kCount = 16;
// c = a + b, of kCount numbers each in memory one behind the other.
struct Sum {
  explicit Sum(const StreamBench& of) : bench(of), cuda(of.cuda) {
    memory = cuda.allocate(3 * kCount * 4);
    function = kernel(cuda, ptx("vector_add.ptx"), "vector_add");
    for (unsigned i = 0; i < 3; ++i)
      at[i] = memory + i * kCount * 4;
    start(1.0F);
  }
  void start(float first) const {
    std::vector<float> numbers(3 * kCount);
    std::iota(numbers.begin(), numbers.begin() + 2 * kCount, first);
    cuda.call<CopyTo>("cuMemcpyHtoD_v2", memory, numbers.data(), numbers.size() * 4);
  }
  std::vector<float> result() const {
    std::vector<float> numbers(kCount);
    cuda.call<CopyFrom>("cuMemcpyDtoH_v2", numbers.data(), at[2], kCount * 4);
    return numbers;
  }
  bool is_sum(float first) const {
    const std::vector<float> numbers = result();
    for (unsigned i = 0; i < kCount; ++i) {
      if (numbers[i] != first + static_cast<float>(i) + first + static_cast<float>(i + kCount)) return false;
    }
    return true;
  }
  KernelNode node() {
    KernelNode asked;
    asked.function = function;
    asked.block[0] = kCount;
    asked.parameters = parameters;
    return asked;
  }

  const StreamBench& bench;
  const Cuda& cuda;
  Pointer memory = 0;
  void* function = nullptr;
  Pointer at[3] = {};
  unsigned count = kCount;
  void* parameters[4] = {&at[0], &at[1], &at[2], &count};
};

union Attribute {
  char bytes[64] = {};
  int number;
  unsigned dimensions[3];
  unsigned char domains[2];
};
using SetAttribute = int(void*, int, const Attribute*);
using GetAttribute = int(void*, int, Attribute*);

inline constexpr std::size_t kMiB = std::size_t{1} << 20;
struct Access {  // CUmemAccessDesc
  int type = 1;
  int device = 0;
  unsigned flags = 3;
};
struct AskedMemory {  // CUDA_MEM_ALLOC_NODE_PARAMS
  int type = 1;
  int handles = 0;
  int location_type = 1;
  int device = 0;
  void* security = nullptr;
  std::size_t most = 0;
  unsigned char rest[56] = {};
  const Access* access = nullptr;
  std::size_t accesses = 0;
  std::size_t bytes = 64 * kMiB;
  Pointer address = 0;
};
static_assert(sizeof(AskedMemory) == 120);

struct MemoryGraph : Graph {
  using Graph::Graph;
  int allocation(void** node, AskedMemory& asked, void* before = nullptr) {
    return cuda.call<AddEvent>("cuGraphAddMemAllocNode", node, graph, &before, before != nullptr ? 1 : 0,
                               static_cast<void*>(&asked));
  }
  int release(void** node, Pointer address, void* before = nullptr) {
    return cuda.call<int(void**, void*, void**, std::size_t, Pointer)>("cuGraphAddMemFreeNode", node, graph, &before,
                                                                       before != nullptr ? 1 : 0, address);
  }
  int instantiate(void** made, unsigned long long flags = 0) const {
    return cuda.call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", made, graph, flags);
  }
};

inline std::uint64_t graph_attribute(const Cuda& cuda, int which) {
  std::uint64_t value = ~std::uint64_t{0};
  cuda.call<int(int, int, void*)>("cuDeviceGetGraphMemAttribute", 0, which, static_cast<void*>(&value));
  return value;
}

}  // namespace nvmlab::cuda_test
