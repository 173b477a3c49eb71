// SPDX-License-Identifier: Apache-2.0
// The handles that calls in random order have made, and those of the calls that are about graphs.
#pragma once

#include <random>
#include <vector>

#include "tests/drivers/cuda/graph_bench.hpp"

namespace nvmlab::cuda_test {

enum Kind : unsigned { kStream, kEvent, kGraph, kExecutable, kNode, kPool, kContext, kGreen, kKinds };

class GraphSequences {
 protected:
  GraphSequences(const Cuda& cuda, unsigned seed) : cuda_(cuda), random_(seed) {}

  // Functions that write what they know of a handle.
  void look_at_graphs() {
    struct Row {
      const char* name;
      Kind kind;
    };
    static constexpr Row kRows[] = {{"cuGraphNodeGetParams", kNode},          {"cuGraphKernelNodeGetParams_v2", kNode},
                                    {"cuGraphMemcpyNodeGetParams", kNode},    {"cuGraphMemsetNodeGetParams", kNode},
                                    {"cuGraphNodeGetLocalId", kNode},         {"cuGraphNodeGetToolsId", kNode},
                                    {"cuGraphNodeGetContainingGraph", kNode}, {"cuGraphGetId", kGraph},
                                    {"cuGraphExecGetId", kExecutable},        {"cuGraphExecGetFlags", kExecutable}};
    alignas(8) unsigned char out[256] = {};
    const Row& row = kRows[number(sizeof kRows / sizeof kRows[0])];
    call<int(void*, void*)>(row.name, any(row.kind), static_cast<void*>(out));
    void* nodes[2] = {};
    unsigned char data[16] = {};
    std::size_t count = number(3);
    call<int(void*, void**, void*, std::size_t*)>("cuGraphNodeGetDependencies_v2", any(kNode), nodes,
                                                  static_cast<void*>(data), &count);
    if (call<int(void**, void*, void*)>("cuGraphNodeFindInClone", &nodes[0], any(kNode), any(kGraph)) == kSuccess)
      keep(kNode, nodes[0]);
  }
  void change_graphs() {
    int value[16] = {static_cast<int>(number(6)) - 3};
    const int id = static_cast<int>(number(20));
    switch (number(12)) {
      case 11:
        return conditional();
      case 9:
        call<int(void*, const char*, unsigned)>("cuGraphDebugDotPrint", any(kGraph), "/dev/null", 1U << number(19));
        return;
      case 10:
        return words();
      case 6:
        return graph_memory();
      case 7: {
        void* node = nullptr;
        void* before = any(kNode);
        using AddOne = int(void**, void*, void**, std::size_t, Pointer);
        call<AddOne>("cuGraphAddMemFreeNode", &node, any(kGraph), &before, std::size_t{number(2)}, memory());
        return;
      }
      case 8:
        call<int(int)>("cuDeviceGraphMemTrim", static_cast<int>(number(3)));
        return;
      case 0:
        call<int(void*, void*, unsigned)>("cuGraphNodeSetEnabled", any(kExecutable), any(kNode), number(2));
        return;
      case 1:
        call<int(void*, void*, void*)>("cuGraphExecChildGraphNodeSetParams", any(kExecutable), any(kNode), any(kGraph));
        return;
      case 2:
        call<int(void*, int, void*)>("cuGraphKernelNodeSetAttribute", any(kNode), id, static_cast<void*>(value));
        return;
      case 3:
        call<int(void*, void*)>("cuGraphKernelNodeCopyAttributes", any(kNode), any(kNode));
        return;
      case 4:
        call<int(void*, int, void*)>("cuStreamSetAttribute", any(kStream), id, static_cast<void*>(value));
        return;
      default:
        call<int(void*, void*)>("cuStreamCopyAttributes", any(kStream), any(kStream));
    }
  }
  void words() {
    struct {
      void* context;
      unsigned count;
      void* operations;
      unsigned flags;
    } asked{any(kContext), number(3), nullptr, 0};
    struct {
      unsigned operation;
      Pointer address;
      unsigned long long value;
      unsigned flags;
      Pointer rest[2];
    } operations[2] = {{2, memory(), number(9), 0, {}}, {5, memory(), number(9), number(2), {}}};
    asked.operations = operations;
    void* node = nullptr;
    using AddOne = int(void**, void*, void**, std::size_t, void*);
    if (call<AddOne>("cuGraphAddBatchMemOpNode", &node, any(kGraph), nullptr, std::size_t{0},
                     static_cast<void*>(&asked)) == kSuccess)
      keep(kNode, node);
    call<int(void*, void*, void*)>("cuGraphExecBatchMemOpNodeSetParams", any(kExecutable), any(kNode),
                                   static_cast<void*>(&asked));
  }
  // A loop that would never end is not asked for.
  void conditional() {
    struct {
      int type = 13;
      int reserved[3] = {};
      unsigned long long handle = 0;
      int kind = 0;
      unsigned size = 1;
      void** bodies = nullptr;
      unsigned char rest[216] = {};
    } asked;
    constexpr int kLoop = 1;
    void* const graph = any(kGraph);
    asked.kind = static_cast<int>(number(3));
    asked.size = number(4);
    call<int(unsigned long long*, void*, void*, unsigned, unsigned)>("cuGraphConditionalHandleCreate", &asked.handle,
                                                                     graph, nullptr,
                                                                     asked.kind == kLoop ? 0 : number(3), number(2));
    void* node = nullptr;
    using AddAny = int(void**, void*, void**, std::size_t, void*);
    if (call<AddAny>("cuGraphAddNode", &node, graph, nullptr, std::size_t{0}, static_cast<void*>(&asked)) != kSuccess)
      return;
    keep(kNode, node);
    keep(kGraph, asked.bodies[0]);
  }
  void graph_memory() {
    AskedMemory asked;
    asked.device = static_cast<int>(number(2));
    asked.bytes = number(9000);
    void* node = nullptr;
    void* before = any(kNode);
    using AddOne = int(void**, void*, void**, std::size_t, void*);
    if (call<AddOne>("cuGraphAddMemAllocNode", &node, any(kGraph), &before, std::size_t{number(2)},
                     static_cast<void*>(&asked)) != kSuccess)
      return;
    keep(kNode, node);
    memory_.push_back(asked.address);
  }

  template <class Signature, class... Arguments>
  int call(const char* name, Arguments... arguments) {
    return cuda_.call<Signature>(name, arguments...);
  }
  unsigned number(std::size_t below) { return static_cast<unsigned>(random_() % below); }
  void keep(Kind kind, void* handle) {
    std::vector<void*>& list = handles_[kind];
    if (list.size() < 8) return list.push_back(handle);
    list[number(8)] = handle;
  }
  // One of this kind, most of the time.
  void* any(Kind kind) {
    const std::vector<void*>& list = handles_[number(6) == 0 ? number(kKinds) : kind];
    return list.empty() ? nullptr : list[number(list.size())];
  }
  Pointer memory() { return memory_.empty() || number(60) == 0 ? 0 : memory_[number(memory_.size())]; }

  const Cuda& cuda_;
  std::mt19937 random_;
  std::vector<void*> handles_[kKinds];
  std::vector<Pointer> memory_;
};

}  // namespace nvmlab::cuda_test
