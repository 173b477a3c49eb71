// SPDX-License-Identifier: Apache-2.0
//
// What a node of a graph is asked to do, by the parameters of its type, as the work of an item: for a new node, for one
// that is there, and for an executable graph; and what a program is told of it (node_parameters.cpp). Under the lock of
// the process. Tests: tests/drivers/cuda/graph_nodes_test.cpp, graph_parameters_test.cpp.
#pragma once

#include "drivers/cuda/abi/abi_graphs.hpp"
#include "drivers/cuda/graphs/graphs.hpp"
#include "drivers/cuda/memory/copy_boxes.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/streams/host_work.hpp"

namespace nvmlab::cuda {

struct NodeEvent {
  CUevent event;
};

// The parameters of the type are set; the others are nothing.
struct NodeAsked {
  WorkType type;
  KernelAsked kernel;
  BoxCopy copy;
  CUDA_MEMSET_NODE_PARAMS fill;
  HostFunction host;
  NodeEvent event;
  CUDA_BATCH_MEM_OP_NODE_PARAMS words;
};

// The struct of a type in parameters of any type. CUDA_MEMCPY3D begins behind flags and a context.
inline constexpr std::size_t kCopyInParameters = 16;
template <class T>
T* parameters_in(CUgraphNodeParams& of, std::size_t offset = 0) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(of.of) + offset);
}
template <class T>
const T& parameters_in(const CUgraphNodeParams& of, std::size_t offset = 0) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(of.of) + offset);
}

NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS_v1& of, CUfunction function);
NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS& of);
NodeAsked copy_asked(const CUDA_MEMCPY3D& of);
NodeAsked fill_asked(const CUDA_MEMSET_NODE_PARAMS& of);
NodeAsked host_asked(const CUDA_HOST_NODE_PARAMS& of);
NodeAsked words_asked(const CUDA_BATCH_MEM_OP_NODE_PARAMS& of);
NodeAsked event_asked(WorkType type, CUevent event);
// Of a type that has parameters here; CUDA_ERROR_NOT_SUPPORTED of others.
CUresult any_asked(const CUgraphNodeParams& of, NodeAsked* asked);

// CUDA_ERROR_INVALID_CONTEXT of a kernel whose function and context are both given and are of two contexts.
CUresult check_kernel_context(const CUgraphNodeParams& of);

// Makes the item of a node; CUDA_ERROR_INVALID_VALUE and others if the work cannot be done.
CUresult make_node_item(const NodeAsked& asked, WorkItem** out);
// The item that fills rows of memory; its payload is `asked`.
CUresult make_fill(const CUDA_MEMSET_NODE_PARAMS& asked, WorkItem** out);

// The parameters that a node was given; CUDA_ERROR_NOT_SUPPORTED of a stream's callback.
// Pointers of a kernel's lead into the node, until it is changed.
CUresult tell_kernel(GraphNodeState& node, CUDA_KERNEL_NODE_PARAMS* out);
CUresult tell_copy(const GraphNodeState& node, CUDA_MEMCPY3D* out);
CUresult tell_fill(const GraphNodeState& node, CUDA_MEMSET_NODE_PARAMS* out);
CUresult tell_host(const GraphNodeState& node, CUDA_HOST_NODE_PARAMS* out);
CUresult tell_event(const GraphNodeState& node, WorkType type, CUevent* out);
CUresult tell_allocation(const GraphNodeState& node, CUDA_MEM_ALLOC_NODE_PARAMS* out);
CUresult tell_free(const GraphNodeState& node, CUdeviceptr* out);
CUresult tell_words(const GraphNodeState& node, CUDA_BATCH_MEM_OP_NODE_PARAMS* out);
CUresult tell_any(GraphNodeState& node, CUgraphNodeParams* out);

}  // namespace nvmlab::cuda
