// SPDX-License-Identifier: Apache-2.0
// A graph of libcudart that is described node by node, and the structs of its nodes.
#pragma once

#include "tests/drivers/cuda/graph_bench.hpp"
#include "tests/drivers/cudart/program.hpp"

namespace nvmlab::cudart_test {

struct RuntimeKernel {
  const void* function;
  Dim3 grid, block;
  unsigned shared;
  void** parameters;
  void** extra;
};
struct Position {
  std::size_t x, y, z;
};
struct Pitched {
  void* data;
  std::size_t pitch, width, height;
};
struct RuntimeCopy {
  void* from_array;
  Position from_at;
  Pitched from;
  void* to_array;
  Position to_at;
  Pitched to;
  Position extent;
  int kind;
};
struct AnyNode {
  int type, reserved[3];
  long long of[29], last;
};
static_assert(sizeof(RuntimeKernel) == 56 && sizeof(RuntimeCopy) == 160 && sizeof(AnyNode) == 256);

using Node = void*;
using AddKernel = int(Node*, void*, const Node*, std::size_t, const RuntimeKernel*);
using AddBytes = int(Node*, void*, const Node*, std::size_t, void*, const void*, std::size_t, int);
using AddToSymbol = int(Node*, void*, const Node*, std::size_t, const void*, const void*, std::size_t, std::size_t,
                        int);
using AddFromSymbol = int(Node*, void*, const Node*, std::size_t, void*, const void*, std::size_t, std::size_t, int);
using AddCopy = int(Node*, void*, const Node*, std::size_t, const RuntimeCopy*);
using AddFill = int(Node*, void*, const Node*, std::size_t, const cuda_test::Fill*);

// The step is copied to the program's variable, the kernel adds it to 100 ones, and they are copied back.
class Graph {
 public:
  explicit Graph(const Cudart& runtime) : runtime_(runtime), binary_(kProgram) {
    registered(runtime, binary_);
    runtime.call<int(void**, unsigned)>("cudaGraphCreate", &graph, 0U);
    data = runtime.allocate(400);
    runtime.call<int(void**, std::size_t)>("cudaMallocHost", &pinned_, 800UL);
    host = static_cast<unsigned*>(pinned_);
    back = host + 100;
    for (unsigned i = 0; i < 100; ++i)
      host[i] = 1;
  }

  int build() {
    int code = runtime_.call<AddToSymbol>("cudaGraphAddMemcpyNodeToSymbol", &set, graph, nullptr, 0UL, host_step, &step,
                                          4UL, 0UL, kToDevice);
    if (code == kSuccess)
      code =
          runtime_.call<AddBytes>("cudaGraphAddMemcpyNode1D", &in, graph, nullptr, 0UL, data, host, 400UL, kToDevice);
    const Node both[] = {set, in};
    const RuntimeKernel what = kernel();
    if (code == kSuccess) code = runtime_.call<AddKernel>("cudaGraphAddKernelNode", &add, graph, both, 2UL, &what);
    const RuntimeCopy copy = copied();
    if (code == kSuccess) code = runtime_.call<AddCopy>("cudaGraphAddMemcpyNode", &out, graph, &add, 1UL, &copy);
    return code;
  }

  RuntimeKernel kernel() { return {&host_kernel, {2, 1, 1}, {64, 1, 1}, 0, arguments_, nullptr}; }
  RuntimeCopy copied() const {
    RuntimeCopy copy{};
    copy.from = {data, 40, 40, 10};
    copy.to = {back, 40, 40, 10};
    copy.extent = {40, 10, 1};
    copy.kind = kToHost;
    return copy;
  }

  int instantiate() {
    return runtime_.call<int(void**, void*, unsigned long long)>("cudaGraphInstantiate", &executable, graph, 0ULL);
  }
  // What each element is after a launch; 0: not all the same, or an error.
  unsigned launched() const {
    void* const stream = nullptr;
    if (runtime_.call<int(void*, void*)>("cudaGraphLaunch", executable, stream) != kSuccess ||
        runtime_.call<int()>("cudaDeviceSynchronize") != kSuccess)
      return 0;
    for (unsigned i = 1; i < 100; ++i) {
      if (back[i] != back[0]) return 0;
    }
    return back[0];
  }

  void* graph = nullptr;
  void* executable = nullptr;
  Node set = nullptr, in = nullptr, add = nullptr, out = nullptr;
  void* data = nullptr;
  unsigned* host = nullptr;
  unsigned* back = nullptr;
  unsigned step = 5;

 private:
  const Cudart& runtime_;
  FatBinary binary_;
  void* pinned_ = nullptr;
  unsigned count_ = 100;
  void* arguments_[2] = {&data, &count_};
};

}  // namespace nvmlab::cudart_test
