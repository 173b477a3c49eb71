// SPDX-License-Identifier: Apache-2.0
// What nodes are asked to do, told and changed: in a graph, and in one that can be launched. Tests:
// tests/drivers/cuda/graph_nodes_test.cpp.
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/stream_words.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

// A kernel keeps what its node was launched with.
NodeAsked as_before(const NodeAsked& asked, const WorkItem& item) {
  NodeAsked now = asked;
  if (asked.type != WorkType::kernel) return now;
  const nvmlab_launch& before = static_cast<const QueuedLaunch*>(payload_of(item))->request;
  now.kernel.cooperative = before.cooperative != 0;
  std::memcpy(now.kernel.cluster, before.cluster, sizeof before.cluster);
  return now;
}

CUresult change(CUgraphNode handle, const NodeAsked& asked) {
  return with_node(handle, [&](GraphNodeState& node) {
    if (node.type != static_cast<std::uint32_t>(asked.type)) return CUDA_ERROR_INVALID_VALUE;
    WorkItem* made = nullptr;
    const CUresult code = make_node_item(as_before(asked, *node.item), &made);
    if (code != CUDA_SUCCESS) return code;
    release_item(node.item);
    node.item = made;
    if (node.told != nullptr) release_item(node.told);
    node.told = nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult change_executable(CUgraphExec executable, CUgraphNode handle, const NodeAsked& asked) {
  return with_node(handle, [&](const GraphNodeState& node) {
    ExecutableState* const found = find_executable(executable);
    if (found == nullptr || node.type != static_cast<std::uint32_t>(asked.type)) return CUDA_ERROR_INVALID_VALUE;
    WorkItem** const place = item_of(*found, node);
    if (place == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (asked.type == WorkType::words) {
      const CUresult good = check_operations(asked.words);
      if (good != CUDA_SUCCESS || !may_replace(**place, asked.words)) return CUDA_ERROR_INVALID_VALUE;
    }
    WorkItem* made = nullptr;
    const CUresult code = make_node_item(as_before(asked, **place), &made);
    if (code == CUDA_SUCCESS) replace_item(*found, place, made);
    return code;
  });
}

}  // namespace

namespace hooks {

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return with_node(hNode, [&](GraphNodeState& node) { return tell_kernel(node, nodeParams); });
}
CUresult cuGraphKernelNodeGetParams(CUgraphNode hNode, CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  CUDA_KERNEL_NODE_PARAMS told{};
  const CUresult code = nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : cuGraphKernelNodeGetParams_v2(hNode, &told);
  if (code == CUDA_SUCCESS) *nodeParams = told.launch;
  return code;
}
CUresult cuGraphNodeGetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  return with_node(hNode, [&](GraphNodeState& node) { return tell_any(node, nodeParams); });
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode hNode, CUDA_MEMCPY3D* nodeParams) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_copy(node, nodeParams); });
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode hNode, CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_fill(node, nodeParams); });
}
CUresult cuGraphHostNodeGetParams(CUgraphNode hNode, CUDA_HOST_NODE_PARAMS* nodeParams) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_host(node, nodeParams); });
}
CUresult cuGraphBatchMemOpNodeGetParams(CUgraphNode hNode, CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams_out) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_words(node, nodeParams_out); });
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_event(node, WorkType::record, event_out); });
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode hNode, CUevent* event_out) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_event(node, WorkType::wait, event_out); });
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return with_node(hNode, [&](const GraphNodeState& node) {
    if (phGraph == nullptr || node.child == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *phGraph = node.child;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, kernel_asked(*nodeParams, nodeParams->func));
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode hNode, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, kernel_asked(*nodeParams));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode hNode, const CUDA_MEMCPY3D* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, copy_asked(*nodeParams));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode hNode, const CUDA_MEMSET_NODE_PARAMS* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, fill_asked(*nodeParams));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode hNode, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, host_asked(*nodeParams));
}
CUresult cuGraphBatchMemOpNodeSetParams(CUgraphNode hNode, const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  return nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : change(hNode, words_asked(*nodeParams));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return change(hNode, event_asked(WorkType::record, event));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode hNode, CUevent event) {
  return change(hNode, event_asked(WorkType::wait, event));
}
CUresult cuGraphNodeSetParams(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  NodeAsked asked{};
  const CUresult code = nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : any_asked(*nodeParams, &asked);
  return code == CUDA_SUCCESS ? change(hNode, asked) : code;
}
CUresult cuGraphNodeSetParams_v2(CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  const CUresult code = nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : check_kernel_context(*nodeParams);
  return code == CUDA_SUCCESS ? cuGraphNodeSetParams(hNode, nodeParams) : code;
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, kernel_asked(*nodeParams, nodeParams->func));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec hGraphExec, CUgraphNode hNode,
                                           const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, kernel_asked(*nodeParams));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, const CUDA_MEMCPY3D* copyParams,
                                        CUcontext) {
  if (copyParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, copy_asked(*copyParams));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                        const CUDA_MEMSET_NODE_PARAMS* memsetParams, CUcontext) {
  if (memsetParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, fill_asked(*memsetParams));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                      const CUDA_HOST_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, host_asked(*nodeParams));
}
CUresult cuGraphExecBatchMemOpNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode,
                                            const CUDA_BATCH_MEM_OP_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return change_executable(hGraphExec, hNode, words_asked(*nodeParams));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return change_executable(hGraphExec, hNode, event_asked(WorkType::record, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec hGraphExec, CUgraphNode hNode, CUevent event) {
  return change_executable(hGraphExec, hNode, event_asked(WorkType::wait, event));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraph childGraph) {
  return with_node(hNode, [&](const GraphNodeState& node) {
    ExecutableState* const found = find_executable(hGraphExec);
    if (found == nullptr || node.child == nullptr || find_graph(childGraph) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    return replace_child(*found, node.child, childGraph);
  });
}
CUresult cuGraphExecNodeSetParams(CUgraphExec hGraphExec, CUgraphNode hNode, CUgraphNodeParams* nodeParams) {
  if (nodeParams != nullptr && static_cast<WorkType>(nodeParams->type) == WorkType::child)
    return cuGraphExecChildGraphNodeSetParams(hGraphExec, hNode, *parameters_in<CUgraph>(*nodeParams));
  NodeAsked asked{};
  const CUresult code = nodeParams == nullptr ? CUDA_ERROR_INVALID_VALUE : any_asked(*nodeParams, &asked);
  return code == CUDA_SUCCESS ? change_executable(hGraphExec, hNode, asked) : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
