// SPDX-License-Identifier: Apache-2.0
// Conditional nodes and their handles. Tests: tests/drivers/cuda/conditional_nodes_test.cpp.
#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/graph_nodes.hpp"

namespace nvmlab::cuda {
namespace {

bool good_size(const CUDA_CONDITIONAL_NODE_PARAMS& asked) {
  switch (static_cast<ConditionalType>(asked.type)) {
    case ConditionalType::if_else:
      return asked.size == 1 || asked.size == 2;
    case ConditionalType::loop:
      return asked.size == 1;
    case ConditionalType::choice:
      return asked.size > 0 && asked.size <= kMostBodies;
    default:
      return false;
  }
}

// Each body is a graph of its own, empty until the program adds to it.
CUresult create_bodies(CUgraphNode node) {
  WorkItem& item = *find_node(node)->item;
  for (std::uint32_t i = 0; i < body_count(item); ++i) {
    CUgraph body = nullptr;
    if (const CUresult code = create_graph(&body); code != CUDA_SUCCESS) return code;
    bodies_of(item)[i] = reinterpret_cast<std::uint64_t>(body);
    adopt_body(body, node);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult add_conditional(const Place& place, CUDA_CONDITIONAL_NODE_PARAMS* asked) {
  const ContextGuard current;
  if (current.code() != CUDA_SUCCESS) return current.code();
  if (asked->ctx == nullptr) asked->ctx = current.handle();
  if (find_graph(place.graph) == nullptr || !good_size(*asked) || level_of(place.graph) + 1 >= kDeepestGraph ||
      !has_condition(place.graph, asked->handle, asked->ctx))
    return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check_place(place); code != CUDA_SUCCESS) return code;
  WorkItem* item = nullptr;
  CUresult code = make_conditional(*asked, &item);
  CUgraphNode made = nullptr;
  if (code == CUDA_SUCCESS) code = add_at({&made, place.graph, place.dependencies, place.count, place.data}, item);
  if (code == CUDA_SUCCESS) code = create_bodies(made);
  if (code != CUDA_SUCCESS) {
    remove_node(made);
    return code;
  }
  *place.out = made;
  asked->phGraph_out = reinterpret_cast<CUgraph*>(bodies_of(*find_node(made)->item));
  return CUDA_SUCCESS;
}

namespace hooks {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph, CUcontext ctx,
                                        unsigned int defaultLaunchValue, unsigned int flags) {
  constexpr unsigned kAtLaunch = 1;
  if (pHandle_out == nullptr || flags > kAtLaunch) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const CUcontext of = ctx == nullptr ? guard.handle() : ctx;
  if (find_graph(hGraph) == nullptr || find_context(of) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t made = 0;
  const CUresult code = create_condition(hGraph, of, defaultLaunchValue, flags == kAtLaunch, &made);
  if (code == CUDA_SUCCESS) *pHandle_out = made;
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
