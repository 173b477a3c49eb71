// SPDX-License-Identifier: Apache-2.0
//
// Calls about graphs and their nodes.
#pragma once

#include "tests/drivers/cuda/graph_bench.hpp"
#include "tests/fuzz/cuda_calls.hpp"

namespace nvmlab::fuzz {

class CudaNodeCalls : protected CudaCalls {
 protected:
  using AddOne = int(void**, void*, void**, std::size_t, void*);

  void nodes() {
    switch (byte() % 16) {
      case 0:
        return keep_graph<int(void**, unsigned)>("cuGraphCreate", byte() < 250 ? 0U : 1U);
      case 1:
        call<int(void*)>("cuGraphDestroy", slot(graphs_));
        return;
      case 2:
        return keep_graph<int(void**, void*)>("cuGraphClone", slot(graphs_));
      case 3:
        return kernel();
      case 4:
        return copy();
      case 5:
        return fill();
      case 6:
        return add("cuGraphAddChildGraphNode", slot(graphs_));
      case 7: {
        struct {
          void (*function)(void*);
          void* data;
        } asked{[](void*) {}, nullptr};
        return add("cuGraphAddHostNode", &asked);
      }
      case 8:
        return add(byte() % 2 == 0 ? "cuGraphAddEventRecordNode" : "cuGraphAddEventWaitNode", slot(events_));
      case 9:
        return allocation();
      case 10:
        return add("cuGraphAddMemFreeNode", reinterpret_cast<void*>(address()));
      case 11:
        return conditional();
      case 12:
        return words();
      case 13:
        return edges();
      case 14:
        call<int(void*)>("cuGraphDestroyNode", slot(nodes_));
        return;
      default:
        return any();
    }
  }

  // In the place of an older one, which nobody could destroy then.
  template <class Signature, class... Arguments>
  void keep_graph(const char* name, Arguments... arguments) {
    void* made = nullptr;
    if (call<Signature>(name, &made, arguments...) == 0) replace(graphs_, "cuGraphDestroy", made);
  }
  void replace(Handles& of, const char* destroy, void* made) {
    void*& place = of[byte() % kSlots];
    if (place != nullptr) call<int(void*)>(destroy, place);
    place = made;
  }

  cuda_test::KernelNode asked_kernel() {
    cuda_test::KernelNode asked;
    asked.function = slot(functions_);
    asked.grid[0] = byte() % 8;
    asked.block[0] = byte();
    asked.shared = byte() < 250 ? 0 : static_cast<unsigned>(number());
    to_ = address();
    count_ = byte();
    asked.parameters = parameters_;
    return asked;
  }
  cuda_test::Copy3D asked_copy() {
    cuda_test::Copy3D asked;
    for (cuda_test::End* each : {&asked.from, &asked.to}) {
      each->type = 2 + byte() % 2;  // an address of nobody's would be one of the host
      each->device = address();
      if (byte() >= 200) each->x = number();
      if (byte() >= 200) each->pitch = number();
      if (byte() >= 240) each->height = number();
    }
    asked.width = number();
    if (byte() >= 200) asked.height = number();
    return asked;
  }
  cuda_test::Fill asked_fill() {
    const Address to = address();
    const std::size_t pitch = byte() >= 200 ? number() : 0;
    const unsigned bytes = byte() % 5;
    const std::size_t width = number();
    return {to, pitch, 7, bytes, width, byte() >= 200 ? number() : 1};
  }

  Handles graphs_{};
  Handles nodes_{};

 private:
  void add(const char* name, void* asked) {
    void* before[2] = {slot(nodes_), slot(nodes_)};
    const std::size_t count = byte() % 6 < 4 ? byte() % 2 : 2;
    call<AddOne>(name, &nodes_[byte() % kSlots], slot(graphs_), before, count, asked);
  }
  void kernel() {
    cuda_test::KernelNode asked = asked_kernel();
    add("cuGraphAddKernelNode_v2", &asked);
  }
  void copy() {
    cuda_test::Copy3D asked = asked_copy();
    call<cuda_test::AddCopy>("cuGraphAddMemcpyNode", &nodes_[byte() % kSlots], slot(graphs_), nullptr, 0, &asked,
                             slot(contexts_));
  }
  void fill() {
    cuda_test::Fill asked = asked_fill();
    call<cuda_test::AddCopy>("cuGraphAddMemsetNode", &nodes_[byte() % kSlots], slot(graphs_), nullptr, 0, &asked,
                             slot(contexts_));
  }
  void allocation() {
    const cuda_test::Access access{1, byte() % 3, 3};
    cuda_test::AskedMemory asked;
    asked.device = byte() < 250 ? 0 : byte() % 3;
    asked.bytes = number();
    asked.access = byte() % 4 == 0 ? &access : nullptr;
    asked.accesses = asked.access != nullptr ? 1 : 0;
    add("cuGraphAddMemAllocNode", &asked);
    if (asked.address != 0) memory_[byte() % kSlots] = asked.address;
  }
  // A loop that would never end is not asked for.
  void conditional() {
    constexpr int kLoop = 1;
    struct {
      int type = 13;
      int reserved[3] = {};
      unsigned long long handle = 0;
      int kind = 0;
      unsigned size = 1;
      void** bodies = nullptr;
      unsigned char rest[216] = {};
    } asked;
    asked.kind = byte() % 4;
    asked.size = byte() < 250 ? byte() % 4 : static_cast<unsigned>(number());
    void* const graph = slot(graphs_);
    unsigned long long& handle = asked.kind == kLoop ? loop_ : choice_;
    if (byte() % 4 != 0) {
      call<int(unsigned long long*, void*, void*, unsigned, unsigned)>(
          "cuGraphConditionalHandleCreate", &handle, graph, slot(contexts_), asked.kind == kLoop ? 0U : byte() % 4U,
          byte() % 3U);
    }
    asked.handle = handle;
    if (call<AddOne>("cuGraphAddNode", &nodes_[byte() % kSlots], graph, nullptr, 0, &asked) != 0) return;
    for (unsigned i = 0; i < asked.size && i < 2; ++i)
      replace(graphs_, "cuGraphDestroy", asked.bodies[i]);
  }
  // What waits for a word could wait for ever.
  void words() {
    struct {
      unsigned operation;
      Address address;
      unsigned long long value;
      unsigned flags;
      Address rest[2];
    } operations[2] = {};
    for (auto& each : operations) {
      constexpr unsigned kOperations[] = {2, 5, 3, 6, 0, 7};
      each = {kOperations[byte() % 6], address(), byte(), byte() % 3U, {}};
    }
    struct {
      void* context;
      unsigned count;
      void* list;
      unsigned flags;
    } asked{slot(contexts_), byte() % 4 == 0 ? 1U : 2U, operations, 0};
    if (byte() % 2 == 0) return add("cuGraphAddBatchMemOpNode", &asked);
    call<int(void*, unsigned, void*, unsigned)>("cuStreamBatchMemOp_v2", slot(streams_), asked.count,
                                                static_cast<void*>(operations), 0U);
  }
  void edges() {
    void* from[2] = {slot(nodes_), slot(nodes_)};
    void* to[2] = {slot(nodes_), slot(nodes_)};
    const bool added = byte() % 3 != 0;
    call<int(void*, void**, void**, std::size_t)>(added ? "cuGraphAddDependencies" : "cuGraphRemoveDependencies",
                                                  slot(graphs_), from, to, std::size_t{1} + byte() % 2);
    std::size_t count = byte() % 4;
    void* list[4] = {};
    call<int(void*, void**, std::size_t*)>("cuGraphGetNodes", slot(graphs_), list, &count);
    if (count > 0 && count <= 3) nodes_[byte() % kSlots] = list[count - 1];
    if (list[3] != nullptr) wrong("more nodes than were asked for");
  }
  // By what all types of nodes have in common, for those whose parameters hold no pointer.
  void any() {
    constexpr int kTypes[] = {5, 6, 7, 11, 4, 14};
    cuda_test::Parameters asked;
    asked.type = kTypes[byte() % 6];
    void* const handles[] = {slot(events_), slot(graphs_), reinterpret_cast<void*>(address())};
    void* const handle = asked.type == 4 ? handles[1] : asked.type == 11 ? handles[2] : handles[0];
    __builtin_memcpy(asked.of, &handle, sizeof handle);
    if (asked.type == 4) asked.of[8] = static_cast<unsigned char>(byte() % 3);  // whose the child is
    add("cuGraphAddNode", &asked);
    call<int(void*, void*)>("cuGraphNodeGetParams", slot(nodes_), static_cast<void*>(&asked));
    void*& found = nodes_[byte() % kSlots];
    call<int(void**, void*, void*)>("cuGraphNodeFindInClone", &found, slot(nodes_), slot(graphs_));
    void* graph = nullptr;
    if (call<int(void*, void**)>("cuGraphChildGraphNodeGetGraph", slot(nodes_), &graph) == 0)
      replace(graphs_, "cuGraphDestroy", graph);
    call<int(void*, const char*, unsigned)>("cuGraphDebugDotPrint", slot(graphs_), "/dev/null", unsigned{byte()});
  }

  Address to_ = 0;
  unsigned count_ = 0;
  void* parameters_[2] = {&to_, &count_};
  unsigned long long loop_ = 0;
  unsigned long long choice_ = 0;
};

}  // namespace nvmlab::fuzz
