// SPDX-License-Identifier: Apache-2.0
// Conditional nodes and their handles. Tests: tests/drivers/cuda/conditional_nodes_test.cpp.
#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/graphs/graph_places.hpp"

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

CUresult write_conditional(void* payload, const void* from) {
  const auto& asked = *static_cast<const CUDA_CONDITIONAL_NODE_PARAMS*>(from);
  auto* const to = static_cast<Conditional*>(payload);
  *to = {asked.handle, static_cast<ConditionalType>(asked.type), asked.size, asked.ctx};
  std::memset(static_cast<void*>(to + 1), 0, asked.size * sizeof(CUgraph));
  return CUDA_SUCCESS;
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
  return with_current([&](CUcontext current, const Context&) {
    if (asked->ctx == nullptr) asked->ctx = current;
    if (find_graph(place.graph) == nullptr || !good_size(*asked) || level_of(place.graph) + 1 >= kDeepestGraph ||
        !has_condition(place.graph, asked->handle, asked->ctx))
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult code = add(place, [&](CUgraphNode* node) {
      const auto size = static_cast<std::uint32_t>(sizeof(Conditional) + asked->size * sizeof(CUgraph));
      const CUresult made = add_work_node(place.graph, conditional_work(), size, write_conditional, asked, node);
      return made == CUDA_SUCCESS ? create_bodies(*node) : made;
    });
    if (code == CUDA_SUCCESS) asked->phGraph_out = reinterpret_cast<CUgraph*>(bodies_of(*find_node(*place.out)->item));
    return code;
  });
}

namespace hooks {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* pHandle_out, CUgraph hGraph, CUcontext ctx,
                                        unsigned int defaultLaunchValue, unsigned int flags) {
  constexpr unsigned kAtLaunch = 1;
  if (pHandle_out == nullptr || flags > kAtLaunch) return CUDA_ERROR_INVALID_VALUE;
  return with_current([&](CUcontext current, const Context&) {
    const CUcontext of = ctx == nullptr ? current : ctx;
    if (find_graph(hGraph) == nullptr || find_context(of) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    std::uint64_t made = 0;
    const CUresult code = create_condition(hGraph, of, defaultLaunchValue, flags == kAtLaunch, &made);
    if (code == CUDA_SUCCESS) *pHandle_out = made;
    return code;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
