// SPDX-License-Identifier: Apache-2.0
//
// What a node of a graph is asked to do, by the parameters of its type, as the work of an item: for a new node, for one
// that is there, and for an executable graph. Under the lock of the process. Tests:
// tests/drivers/cuda/graph_nodes_test.cpp.
#pragma once

#include "drivers/cuda/abi_graphs.hpp"
#include "drivers/cuda/graphs.hpp"
#include "drivers/cuda/host_work.hpp"
#include "drivers/cuda/kernel_work.hpp"

namespace nvmlab::cuda {

// One end of a copy as CUDA_MEMCPY3D has it; type 1 is the host, 2 the device, 3 an array, 4 whatever the address says.
struct CopyEnd {
  std::uint64_t x, y, z, level;
  int type;
  std::uint64_t host;
  std::uint64_t device;
  std::uint64_t array;
  std::uint64_t reserved;
  std::uint64_t pitch;
  std::uint64_t height;
};
struct NodeCopy {
  CopyEnd from;
  CopyEnd to;
  std::uint64_t width, height, depth;
};

struct NodeEvent {
  CUevent event;
};

// The parameters of the type are set; the others are nothing.
struct NodeAsked {
  WorkType type;
  KernelAsked kernel;
  NodeCopy copy;
  CUDA_MEMSET_NODE_PARAMS fill;
  HostFunction host;
  NodeEvent event;
};

NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS_v1& of, CUfunction function);
NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS& of);
NodeAsked copy_asked(const CUDA_MEMCPY3D& of);
NodeAsked fill_asked(const CUDA_MEMSET_NODE_PARAMS& of);
NodeAsked host_asked(const CUDA_HOST_NODE_PARAMS& of);
NodeAsked event_asked(WorkType type, CUevent event);
// Of a type that has parameters here; CUDA_ERROR_NOT_SUPPORTED of others.
CUresult any_asked(const CUgraphNodeParams& of, NodeAsked* asked);

// Whether it can be done, and as what; CUDA_ERROR_INVALID_VALUE and others where not.
CUresult with_node_work(const NodeAsked& asked, const UseWork& use);
// The same as an item that lies in no queue.
CUresult make_node_item(const NodeAsked& asked, WorkItem** out);

// The parameters that a node was given; CUDA_ERROR_NOT_SUPPORTED of work that was captured.
CUresult tell_copy(const GraphNodeState& node, CUDA_MEMCPY3D* out);
CUresult tell_fill(const GraphNodeState& node, CUDA_MEMSET_NODE_PARAMS* out);
CUresult tell_host(const GraphNodeState& node, CUDA_HOST_NODE_PARAMS* out);
CUresult tell_event(const GraphNodeState& node, WorkType type, CUevent* out);

}  // namespace nvmlab::cuda
