// SPDX-License-Identifier: Apache-2.0
// Nodes of graphs that copy: boxes, bytes, variables of the program. Tests: tests/drivers/cudart/graphs_test.cpp.
#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/images.hpp"
#include "drivers/cudart/node_parameters.hpp"

namespace nvmlab::cudart {
namespace {

// What is to be copied, in one of four ways; each makes a box of it.
struct Boxed {
  const cudaMemcpy3DParms* asked;
  cudaError_t operator()(const Driver& below, CUDA_MEMCPY3D* out) const {
    return asked == nullptr ? cudaErrorInvalidValue : box_of(below, *asked, out);
  }
};
struct Bytes {
  const void* to;
  const void* from;
  std::size_t count;
  int kind;
  cudaError_t operator()(const Driver&, CUDA_MEMCPY3D* out) const {
    return make_box({nullptr, to, count, 1, 0, 0, 0}, {nullptr, from, count, 1, 0, 0, 0}, {count, 1, 1}, kind, out);
  }
};
struct ToVariable {
  const void* symbol;
  const void* from;
  std::size_t count;
  std::size_t offset;
  int kind;
  cudaError_t operator()(const Driver& below, CUDA_MEMCPY3D* out) const {
    CUdeviceptr address = 0;
    const cudaError_t code = target_variable(symbol, count, offset, kind, &address);
    return code == cudaSuccess ? Bytes{pointer_to(address), from, count, kind}(below, out) : code;
  }
};
struct FromVariable {
  const void* to;
  const void* symbol;
  std::size_t count;
  std::size_t offset;
  int kind;
  cudaError_t operator()(const Driver& below, CUDA_MEMCPY3D* out) const {
    CUdeviceptr address = 0;
    const cudaError_t code = source_variable(symbol, count, offset, kind, &address);
    return code == cudaSuccess ? Bytes{to, pointer_to(address), count, kind}(below, out) : code;
  }
};

struct Place {
  cudaGraphNode_t* out;
  cudaGraph_t graph;
  const cudaGraphNode_t* dependencies;
  std::size_t count;
};

template <class Copy, class Body>
cudaError_t with_box(const Copy& copy, const Body& body) {
  return with_context([&](const Driver& below) {
    CUDA_MEMCPY3D box{};
    const cudaError_t code = copy(below, &box);
    return code == cudaSuccess ? body(below, &box) : code;
  });
}

template <class Copy>
cudaError_t add_copy(const Place& place, const Copy& copy) {
  return with_box(copy, [&](const Driver& below, const CUDA_MEMCPY3D* box) {
    return ask(below.cuGraphAddMemcpyNode, place.out, place.graph, place.dependencies, place.count, box,
               current_context(below));
  });
}
template <class Copy>
cudaError_t change_copy(cudaGraphNode_t node, const Copy& copy) {
  return with_box(copy, [&](const Driver& below, const CUDA_MEMCPY3D* box) {
    return ask(below.cuGraphMemcpyNodeSetParams, node, box);
  });
}
template <class Copy>
cudaError_t change_executable_copy(cudaGraphExec_t executable, cudaGraphNode_t node, const Copy& copy) {
  return with_box(copy, [&](const Driver& below, const CUDA_MEMCPY3D* box) {
    return ask(below.cuGraphExecMemcpyNodeSetParams, executable, node, box, current_context(below));
  });
}

}  // namespace

namespace hooks {

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, const cudaGraphNode_t* pDependencies,
                                   size_t numDependencies, const cudaMemcpy3DParms* pCopyParams) {
  return add_copy({pGraphNode, graph, pDependencies, numDependencies}, Boxed{pCopyParams});
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                     const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                     const void* src, size_t count, cudaMemcpyKind kind) {
  return add_copy({pGraphNode, graph, pDependencies, numDependencies}, Bytes{dst, src, count, kind});
}
cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           const cudaGraphNode_t* pDependencies, size_t numDependencies,
                                           const void* symbol, const void* src, size_t count, size_t offset,
                                           cudaMemcpyKind kind) {
  return add_copy({pGraphNode, graph, pDependencies, numDependencies}, ToVariable{symbol, src, count, offset, kind});
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             const cudaGraphNode_t* pDependencies, size_t numDependencies, void* dst,
                                             const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind) {
  return add_copy({pGraphNode, graph, pDependencies, numDependencies}, FromVariable{dst, symbol, count, offset, kind});
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
  if (pNodeParams == nullptr) return cudaErrorInvalidValue;
  return with_context([&](const Driver& below) {
    CUDA_MEMCPY3D box{};
    const cudaError_t code = ask(below.cuGraphMemcpyNodeGetParams, node, &box);
    return code == cudaSuccess ? parameters_of(below, box, pNodeParams) : code;
  });
}
cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* pNodeParams) {
  return change_copy(node, Boxed{pNodeParams});
}
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, const void* src, size_t count,
                                           cudaMemcpyKind kind) {
  return change_copy(node, Bytes{dst, src, count, kind});
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* src,
                                                 size_t count, size_t offset, cudaMemcpyKind kind) {
  return change_copy(node, ToVariable{symbol, src, count, offset, kind});
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* dst, const void* symbol, size_t count,
                                                   size_t offset, cudaMemcpyKind kind) {
  return change_copy(node, FromVariable{dst, symbol, count, offset, kind});
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* pNodeParams) {
  return change_executable_copy(hGraphExec, node, Boxed{pNodeParams});
}
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                               const void* src, size_t count, cudaMemcpyKind kind) {
  return change_executable_copy(hGraphExec, node, Bytes{dst, src, count, kind});
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const void* symbol, const void* src, size_t count, size_t offset,
                                                     cudaMemcpyKind kind) {
  return change_executable_copy(hGraphExec, node, ToVariable{symbol, src, count, offset, kind});
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                                       const void* symbol, size_t count, size_t offset,
                                                       cudaMemcpyKind kind) {
  return change_executable_copy(hGraphExec, node, FromVariable{dst, symbol, count, offset, kind});
}

}  // namespace hooks
}  // namespace nvmlab::cudart
