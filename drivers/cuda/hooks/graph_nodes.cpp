// SPDX-License-Identifier: Apache-2.0
// Nodes that a program adds to a graph. Tests: tests/drivers/cuda/graphs_test.cpp.
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/graphs.hpp"
#include "drivers/cuda/host_work.hpp"
#include "drivers/cuda/kernel_work.hpp"

namespace nvmlab::cuda {
namespace {

// Where a new node comes.
struct Place {
  CUgraphNode* out;
  CUgraph graph;
  const CUgraphNode* dependencies;
  size_t count;
};

// Calls make(&node), which adds one, and joins it to those before; of a node that cannot be joined nothing is left.
template <class Make>
CUresult add(const Place& place, const Make& make) {
  if (place.out == nullptr || find_graph(place.graph) == nullptr || (place.count > 0 && place.dependencies == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNode made = nullptr;
  CUresult code = make(&made);
  if (code == CUDA_SUCCESS) code = depend_on(place.graph, made, place.dependencies, place.count);
  if (code == CUDA_SUCCESS) {
    *place.out = made;
  } else {
    remove_node(made);
  }
  return code;
}

CUresult add_kernel(const Place& place, const CUDA_KERNEL_NODE_PARAMS_v1* asked, CUfunction function) {
  if (asked == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const KernelAsked kernel{function,
                           {{asked->gridDimX, asked->gridDimY, asked->gridDimZ},
                            {asked->blockDimX, asked->blockDimY, asked->blockDimZ},
                            asked->sharedMemBytes},
                           asked->kernelParams,
                           asked->extra,
                           false};
  return with_current([&](CUcontext, const Context& state) {
    return add(place, [&](CUgraphNode* node) {
      struct Target {
        CUgraph graph;
        CUgraphNode* node;
      } target{place.graph, node};
      const UseWork use{[](void* user, const Work& work, std::uint32_t size, WriteWork write, const void* data) {
                          auto& into = *static_cast<Target*>(user);
                          return add_work_node(into.graph, work, size, write, data, into.node);
                        },
                        &target};
      return with_kernel_work(kernel, state, use);
    });
  });
}

}  // namespace

namespace hooks {

CUresult cuGraphAddEmptyNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                             size_t numDependencies) {
  const Locked lock;
  return add({phGraphNode, hGraph, dependencies, numDependencies},
             [&](CUgraphNode* node) { return add_node(hGraph, static_cast<std::uint32_t>(WorkType::empty), node); });
}

CUresult cuGraphAddHostNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                            size_t numDependencies, const CUDA_HOST_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr || nodeParams->fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const HostFunction asked{nodeParams->fn, nullptr, nullptr, nodeParams->userData};
  const Locked lock;
  return add({phGraphNode, hGraph, dependencies, numDependencies}, [&](CUgraphNode* node) {
    return add_work_node(
        hGraph, host_work(asked), sizeof asked,
        [](void* payload, const void* from) {
          std::memcpy(payload, from, sizeof asked);
          return CUDA_SUCCESS;
        },
        &asked, node);
  });
}

CUresult cuGraphAddChildGraphNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                  size_t numDependencies, CUgraph childGraph) {
  constexpr std::uint32_t kDeepest = 32;
  const Locked lock;
  return add({phGraphNode, hGraph, dependencies, numDependencies}, [&](CUgraphNode* node) {
    const GraphState* const child = find_graph(childGraph);
    if (child == nullptr || childGraph == hGraph || child->depth >= kDeepest) return CUDA_ERROR_INVALID_VALUE;
    CUgraph copy = nullptr;
    CUresult code = clone_graph(childGraph, &copy);
    if (code == CUDA_SUCCESS) code = add_node(hGraph, static_cast<std::uint32_t>(WorkType::child), node);
    if (code != CUDA_SUCCESS) return code;
    find_graph(copy)->owned = true;
    find_node(*node)->child = copy;
    GraphState& parent = *find_graph(hGraph);
    const std::uint32_t depth = find_graph(copy)->depth + 1;
    parent.depth = parent.depth < depth ? depth : parent.depth;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphAddKernelNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                              size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS_v1* nodeParams) {
  return add_kernel({phGraphNode, hGraph, dependencies, numDependencies}, nodeParams,
                    nodeParams == nullptr ? nullptr : nodeParams->func);
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                 size_t numDependencies, const CUDA_KERNEL_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUfunction function =
      nodeParams->launch.func != nullptr ? nodeParams->launch.func : reinterpret_cast<CUfunction>(nodeParams->kern);
  return add_kernel({phGraphNode, hGraph, dependencies, numDependencies}, &nodeParams->launch, function);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
