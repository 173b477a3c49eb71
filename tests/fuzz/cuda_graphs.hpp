// SPDX-License-Identifier: Apache-2.0
//
// Calls about graphs that are launched, captured and updated, and about what they hold.
#pragma once

#include "tests/fuzz/cuda_nodes.hpp"

namespace nvmlab::fuzz {

class CudaGraphCalls : protected CudaNodeCalls {
 protected:
  void graphs() {
    switch (byte() % 4) {
      case 0:
        return executables();
      case 1:
        return captures();
      case 2:
        return byte() % 8 == 0 ? user_objects() : changes();
      default:
        return nodes();
    }
  }

  void destroy_graphs() {
    for (void*& each : streams_) {
      void* graph = nullptr;
      if (call<int(void*, void**)>("cuStreamEndCapture", each, &graph) == 0) call<int(void*)>("cuGraphDestroy", graph);
    }
    for (void*& each : executables_)
      call<int(void*)>("cuGraphExecDestroy", each);
    for (void*& each : graphs_)
      call<int(void*)>("cuGraphDestroy", each);
    if (objects_ != 0) call<int(void*, unsigned)>("cuUserObjectRelease", object_, objects_);
    objects_ = 0;
    for (Handles* each : {&graphs_, &nodes_, &executables_})
      each->fill(nullptr);
  }

 private:
  void executables() {
    switch (byte() % 8) {
      case 0:
      case 1: {
        void* made = nullptr;
        if (call<int(void**, void*, unsigned long long)>("cuGraphInstantiateWithFlags", &made, slot(graphs_),
                                                         byte() % 10ULL) == 0)
          replace(executables_, "cuGraphExecDestroy", made);
        return;
      }
      case 2:
        call<int(void*)>("cuGraphExecDestroy", slot(executables_));
        return;
      case 3: {
        cuda_test::UpdateResult result;
        call<int(void*, void*, void*)>("cuGraphExecUpdate_v2", slot(executables_), slot(graphs_),
                                       static_cast<void*>(&result));
        return;
      }
      case 4:
        call<int(void*, void*)>("cuGraphUpload", slot(executables_), slot(streams_));
        call<int(int)>("cuDeviceGraphMemTrim", byte() % 3);
        return;
      default:
        call<int(void*, void*)>("cuGraphLaunch", slot(executables_), slot(streams_));
    }
  }

  void captures() {
    void*& stream = slot(streams_);
    switch (byte() % 8) {
      case 0:
      case 1:
        call<int(void*, int)>("cuStreamBeginCapture_v2", stream, byte() % 4);
        return;
      case 2: {
        void* behind = slot(nodes_);
        call<int(void*, void*, void**, void*, std::size_t, int)>("cuStreamBeginCaptureToGraph", stream, slot(graphs_),
                                                                 &behind, nullptr, std::size_t{byte()} % 2, byte() % 3);
        return;
      }
      case 3:
      case 4:
        return keep_captured(stream);
      case 5: {
        void* behind[2] = {slot(nodes_), slot(nodes_)};
        call<int(void*, void**, std::size_t, unsigned)>("cuStreamUpdateCaptureDependencies", stream, behind,
                                                        std::size_t{byte()} % 3, byte() % 3U);
        return;
      }
      case 6: {
        int mode = byte() % 4;
        call<int(int*)>("cuThreadExchangeStreamCaptureMode", &mode);
        return;
      }
      default:
        return look_at_capture(stream);
    }
  }
  void keep_captured(void* stream) {
    void* graph = nullptr;
    if (call<int(void*, void**)>("cuStreamEndCapture", stream, &graph) == 0) replace(graphs_, "cuGraphDestroy", graph);
  }
  // The graph and the nodes of a capture may be changed and destroyed as any others.
  void look_at_capture(void* stream) {
    int status = 0;
    unsigned long long id = 0;
    void* graph = nullptr;
    void* const* nodes = nullptr;
    std::size_t count = 0;
    const int code = call<int(void*, int*, unsigned long long*, void**, void* const**, std::size_t*)>(
        "cuStreamGetCaptureInfo_v2", stream, &status, &id, &graph, &nodes, &count);
    if (code != 0 || status != 1) return;
    if (count > 0) nodes_[byte() % kSlots] = nodes[byte() % count];
    if (byte() % 4 == 0) graphs_[byte() % kSlots] = graph;
  }

  void changes() {
    cuda_test::KernelNode kernel = asked_kernel();
    cuda_test::Copy3D copy = asked_copy();
    cuda_test::Fill fill = asked_fill();
    void* const executable = slot(executables_);
    void* const node = slot(nodes_);
    switch (byte() % 10) {
      case 0:
        call<int(void*, void*)>("cuGraphKernelNodeSetParams_v2", node, static_cast<void*>(&kernel));
        return;
      case 1:
        call<int(void*, void*)>("cuGraphMemcpyNodeSetParams", node, static_cast<void*>(&copy));
        return;
      case 2:
        call<int(void*, void*)>("cuGraphMemsetNodeSetParams", node, static_cast<void*>(&fill));
        return;
      case 3:
        call<int(void*, void*, void*)>("cuGraphExecKernelNodeSetParams_v2", executable, node,
                                       static_cast<void*>(&kernel));
        return;
      case 4:
        call<int(void*, void*, void*, void*)>("cuGraphExecMemcpyNodeSetParams", executable, node,
                                              static_cast<void*>(&copy), slot(contexts_));
        return;
      case 5:
        call<int(void*, void*, void*, void*)>("cuGraphExecMemsetNodeSetParams", executable, node,
                                              static_cast<void*>(&fill), slot(contexts_));
        return;
      case 6:
        call<int(void*, void*, void*)>("cuGraphExecChildGraphNodeSetParams", executable, node, slot(graphs_));
        return;
      case 7:
        call<int(void*, void*, void*)>("cuGraphExecEventRecordNodeSetEvent", executable, node, slot(events_));
        return;
      case 8:
        call<int(void*, void*)>("cuGraphEventWaitNodeSetEvent", node, slot(events_));
        return;
      default:
        call<int(void*, void*, unsigned)>("cuGraphNodeSetEnabled", executable, node, byte() % 2U);
    }
  }

  void user_objects() {
    if (objects_ == 0 && call<int(void**, void*, void (*)(void*), unsigned, unsigned)>(
                             "cuUserObjectCreate", &object_, nullptr, [](void*) {}, 1U, 1U) == 0)
      objects_ = 1;
    const unsigned moved = byte() % 4 == 0 ? 1 : 0;
    if (call<int(void*, void*, unsigned, unsigned)>("cuGraphRetainUserObject", slot(graphs_), object_, 1U, moved) == 0)
      objects_ -= moved;
    call<int(void*, void*, unsigned)>("cuGraphReleaseUserObject", slot(graphs_), object_, byte() % 3U);
  }

  Handles executables_{};
  void* object_ = nullptr;
  unsigned objects_ = 0;  // references of the program
};

}  // namespace nvmlab::fuzz
