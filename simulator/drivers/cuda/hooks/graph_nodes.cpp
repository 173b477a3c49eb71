// SPDX-License-Identifier: Apache-2.0
// Nodes that a program adds to a graph. Tests: tests/drivers/cuda/graphs_test.cpp, graph_nodes_test.cpp.
#include "drivers/cuda/hooks/graph_nodes.hpp"

#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"

namespace nvmlab::cuda {
namespace {

CUresult add_asked(const Place& place, const NodeAsked& asked) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  if (const CUresult code = check_place(place); code != CUDA_SUCCESS) return code;
  WorkItem* item = nullptr;
  const CUresult code = make_node_item(asked, &item);
  return code == CUDA_SUCCESS ? add_at(place, item) : code;
}

// The context that a copy or fill is to be done in: any of the process, as all memory is reached from everywhere.
CUresult check_context_of(CUcontext context) {
  const Locked lock;
  return find_context(context) != nullptr ? CUDA_SUCCESS
         : context == nullptr             ? CUDA_ERROR_INVALID_CONTEXT
                                          : no_context(context);
}

CUresult add_empty(const Place& place) {
  const Locked lock;
  const CUresult code = check_place(place);
  return code == CUDA_SUCCESS ? add_at(place, WorkType::empty) : code;
}

bool is_within(CUgraph graph, CUgraph other) {
  CUgraph each = graph;
  while (each != nullptr && each != other)
    each = find_graph(each)->parent;
  return each != nullptr;
}

// A copy of the graph, or the graph itself, which nobody has yet.
CUresult add_child(const Place& place, CUgraph child_graph, bool moved) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const GraphState* const child = find_graph(child_graph);
  if (child == nullptr || find_graph(place.graph) == nullptr || is_within(place.graph, child_graph) ||
      child->depth + level_of(place.graph) >= kDeepestGraph)
    return CUDA_ERROR_INVALID_VALUE;
  if (moved ? child->owned || child->executables != 0 : child->memory_nodes != 0) return CUDA_ERROR_INVALID_VALUE;
  if (child->conditionals != 0) return CUDA_ERROR_INVALID_VALUE;
  CUgraph own = child_graph;
  CUresult code = moved ? CUDA_SUCCESS : clone_graph(child_graph, &own);
  if (code != CUDA_SUCCESS) return code;
  code = check_place(place);
  if (code == CUDA_SUCCESS) code = add_at(place, WorkType::child);
  if (code == CUDA_SUCCESS) {
    adopt_graph(own, *place.out);
    find_graph(own)->moved = moved;
  } else if (!moved) {
    destroy_graph(own);
  }
  return code;
}

CUresult add_any(const Place& place, CUgraphNodeParams* of) {
  if (of == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto type = static_cast<WorkType>(of->type);
  if (type == WorkType::empty) return add_empty(place);
  if (type == WorkType::allocate) return add_allocation(place, parameters_in<CUDA_MEM_ALLOC_NODE_PARAMS>(*of));
  if (type == WorkType::release) return add_free(place, *parameters_in<CUdeviceptr>(*of));
  if (type == WorkType::conditional) return add_conditional(place, parameters_in<CUDA_CONDITIONAL_NODE_PARAMS>(*of));
  if (type == WorkType::child) {
    constexpr int kMoved = 1;
    const int ownership = *parameters_in<int>(*of, sizeof(CUgraph));
    if (ownership != 0 && ownership != kMoved) return CUDA_ERROR_INVALID_VALUE;
    const CUresult code = add_child(place, *parameters_in<CUgraph>(*of), ownership == kMoved);
    if (code != CUDA_SUCCESS) return code;
    const Locked lock;
    *parameters_in<CUgraph>(*of) = find_node(*place.out)->child;  // the program is told of the copy
    return CUDA_SUCCESS;
  }
  NodeAsked asked{};
  const CUresult code = any_asked(*of, &asked);
  return code == CUDA_SUCCESS ? add_asked(place, asked) : code;
}

}  // namespace

namespace hooks {

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             size_t numDependencies) {
  return add_empty({phGraphNode, hGraph, dependencies, numDependencies});
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_asked({phGraphNode, hGraph, dependencies, numDependencies}, host_asked(*nodeParams));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
  return add_child({phGraphNode, hGraph, dependencies, numDependencies}, childGraph, false);
}

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_asked({phGraphNode, hGraph, dependencies, numDependencies}, kernel_asked(*nodeParams, nodeParams->func));
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_asked({phGraphNode, hGraph, dependencies, numDependencies}, kernel_asked(*nodeParams));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMCPY3D* copyParams, CUcontext ctx) {
  if (copyParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = check_context_of(ctx);
  return code == CUDA_SUCCESS ? add_asked({phGraphNode, hGraph, dependencies, numDependencies}, copy_asked(*copyParams))
                              : code;
}

CUresult cuGraphAddMemsetNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext ctx) {
  if (memsetParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = check_context_of(ctx);
  return code == CUDA_SUCCESS
             ? add_asked({phGraphNode, hGraph, dependencies, numDependencies}, fill_asked(*memsetParams))
             : code;
}

CUresult cuGraphAddEventRecordNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                   size_t numDependencies, CUevent event) {
  return add_asked({phGraphNode, hGraph, dependencies, numDependencies}, event_asked(WorkType::record, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, CUevent event) {
  return add_asked({phGraphNode, hGraph, dependencies, numDependencies}, event_asked(WorkType::wait, event));
}

CUresult cuGraphAddBatchMemOpNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = check_context_of(nodeParams->ctx);
  return code == CUDA_SUCCESS
             ? add_asked({phGraphNode, hGraph, dependencies, numDependencies}, words_asked(*nodeParams))
             : code;
}

CUresult cuGraphAddNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                        size_t numDependencies, CUgraphNodeParams* nodeParams) {
  return add_any({phGraphNode, hGraph, dependencies, numDependencies}, nodeParams);
}
CUresult cuGraphAddNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* dependencyData, size_t numDependencies,
                           CUgraphNodeParams* nodeParams) {
  return add_any({phGraphNode, hGraph, dependencies, numDependencies, dependencyData}, nodeParams);
}
CUresult cuGraphAddNode_v3(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                           const CUgraphEdgeData* dependencyData, size_t numDependencies,
                           CUgraphNodeParams* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUresult code = check_kernel_context(*nodeParams);
  return code == CUDA_SUCCESS
             ? add_any({phGraphNode, hGraph, dependencies, numDependencies, dependencyData}, nodeParams)
             : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
