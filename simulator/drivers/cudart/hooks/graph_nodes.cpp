// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that a program describes: kernels, fills, and those that say their type. Tests:
// tests/drivers/cudart/graphs_test.cpp.
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/node_parameters.hpp"

namespace nvmlab::cudart {
namespace {

// Calls body(driver, parameters) with a kernel as the driver has it.
template <class Body>
cudaError_t with_kernel_node(const cudaKernelNodeParams* asked, const Body& body) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_KERNEL_NODE_PARAMS_v1 made{};
    const cudaError_t code = driver_kernel(*asked, &made);
    return code == cudaSuccess ? body(below, &made) : code;
  });
}

// And of any type.
template <class Body>
cudaError_t with_any_node(cudaGraphNodeParams* asked, const Body& body) {
  if (asked == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUgraphNodeParams made{};
    cudaError_t code = driver_node(below, *asked, &made);
    if (code == cudaSuccess) code = body(below, &made);
    if (code == cudaSuccess) tell_node(made, asked);
    return code;
  });
}

}  // namespace

namespace hooks {

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const cudaKernelNodeParams* pNodeParams) {
  return with_kernel_node(pNodeParams, [&](const Driver& below, const CUDA_KERNEL_NODE_PARAMS_v1* made) {
    return ask(below.cuGraphAddKernelNode, pGraphNode, graph, pDependencies, numDependencies, made);
  });
}
cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* pNodeParams) {
  if (pNodeParams == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_KERNEL_NODE_PARAMS_v1 told{};
    const cudaError_t code = ask(below.cuGraphKernelNodeGetParams, node, &told);
    if (code == cudaSuccess) runtime_kernel(told, pNodeParams);
    return code;
  });
}
cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* pNodeParams) {
  return with_kernel_node(pNodeParams, [&](const Driver& below, const CUDA_KERNEL_NODE_PARAMS_v1* made) {
    return ask(below.cuGraphKernelNodeSetParams, node, made);
  });
}
cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* pNodeParams) {
  return with_kernel_node(pNodeParams, [&](const Driver& below, const CUDA_KERNEL_NODE_PARAMS_v1* made) {
    return ask(below.cuGraphExecKernelNodeSetParams, hGraphExec, node, made);
  });
}
// CUDA 13 turned the two around.
cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t first, cudaGraphNode_t second) {
  const bool target_first = kRuntimeVersion >= 13000;
  return with_context([&](const Driver& below) {
    return ask(below.cuGraphKernelNodeCopyAttributes, target_first ? first : second, target_first ? second : first);
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const cudaMemsetParams* pMemsetParams) {
  return with_context([&](const Driver& below) {
    return ask(below.cuGraphAddMemsetNode, pGraphNode, graph, pDependencies, numDependencies, pMemsetParams,
               current_context(below));
  });
}
cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemsetParams* pNodeParams) {
  return with_context([&](const Driver& below) {
    return ask(below.cuGraphExecMemsetNodeSetParams, hGraphExec, node, pNodeParams, current_context(below));
  });
}

cudaError_t cudaGraphAddNode_v2(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                                cudaGraphNodeParams* nodeParams) {
  return with_any_node(nodeParams, [&](const Driver& below, CUgraphNodeParams* made) {
    return ask(below.cuGraphAddNode_v2, pGraphNode, graph, pDependencies, dependencyData, numDependencies, made);
  });
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                             const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                             cudaGraphNodeParams* nodeParams) {
  return cudaGraphAddNode_v2(pGraphNode, graph, pDependencies, dependencyData, numDependencies, nodeParams);
}
cudaError_t cudaGraphAddNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                             size_t numDependencies, cudaGraphNodeParams* nodeParams) {
  return with_any_node(nodeParams, [&](const Driver& below, CUgraphNodeParams* made) {
    return ask(below.cuGraphAddNode, pGraphNode, graph, pDependencies, numDependencies, made);
  });
}
cudaError_t cudaGraphNodeGetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  if (nodeParams == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUgraphNodeParams told{};
    const cudaError_t code = ask(below.cuGraphNodeGetParams, node, &told);
    return code == cudaSuccess ? runtime_node(below, told, nodeParams) : code;
  });
}
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* nodeParams) {
  return with_any_node(nodeParams, [&](const Driver& below, CUgraphNodeParams* made) {
    return ask(below.cuGraphNodeSetParams, node, made);
  });
}
cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
                                       cudaGraphNodeParams* nodeParams) {
  return with_any_node(nodeParams, [&](const Driver& below, CUgraphNodeParams* made) {
    return ask(below.cuGraphExecNodeSetParams, graphExec, node, made);
  });
}

cudaError_t cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle* pHandle_out, cudaGraph_t graph,
                                             unsigned int defaultLaunchValue, unsigned int flags) {
  return with_context([&](const Driver& below) {
    return ask(below.cuGraphConditionalHandleCreate, pHandle_out, graph, current_context(below), defaultLaunchValue,
               flags);
  });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
