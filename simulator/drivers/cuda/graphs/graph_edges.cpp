// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "drivers/cuda/graphs/graphs.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<GraphEdgeState, ObjectKind::graph_edge> edges;

std::uint64_t edge_between(const GraphNodeState& from, CUgraphNode to) {
  for (std::uint64_t each = from.out; each != 0; each = find_edge(each)->next_out) {
    if (find_edge(each)->to == to) return each;
  }
  return 0;
}

void unlink(std::uint64_t edge) {
  const GraphEdgeState gone = *find_edge(edge);
  std::uint64_t* place = &find_node(gone.from)->out;
  while (*place != edge)
    place = &find_edge(*place)->next_out;
  *place = gone.next_out;
  place = &find_node(gone.to)->in;
  while (*place != edge)
    place = &find_edge(*place)->next_in;
  *place = gone.next_in;
  --find_graph(find_node(gone.from)->graph)->edges;
  edges.remove(edge);
}

// A kernel may let those behind it begin early (ports 1 and 2), kernels alone with a type of their own (1), which is
// permission only: here they begin when it has ended.
bool is_good(const CUgraphEdgeData& data, const GraphNodeState& from, const GraphNodeState& to) {
  constexpr unsigned kLastPort = 2;
  constexpr unsigned kProgrammatic = 1;
  for (const unsigned char each : data.reserved) {
    if (each != 0) return false;
  }
  const bool from_kernel = from.type == static_cast<std::uint32_t>(WorkType::kernel);
  const bool to_kernel = to.type == static_cast<std::uint32_t>(WorkType::kernel);
  if (data.to_port != 0 || data.from_port > kLastPort || data.type > kProgrammatic) return false;
  if (data.from_port != 0 && !from_kernel) return false;
  return data.type != kProgrammatic || (data.from_port != 0 && to_kernel);
}

}  // namespace

GraphEdgeState* find_edge(std::uint64_t handle) { return edges.find(handle); }

bool is_plain(const CUgraphEdgeData& data) {
  constexpr CUgraphEdgeData kPlain{};
  return std::memcmp(&data, &kPlain, sizeof data) == 0;
}

CUresult add_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data) {
  GraphNodeState* const begin = find_node(from);
  GraphNodeState* const end = find_node(to);
  if (begin == nullptr || end == nullptr || from == to || begin->graph != graph || end->graph != graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (!is_good(data, *begin, *end)) return CUDA_ERROR_INVALID_VALUE;
  if (edge_between(*begin, to) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (begin->in != 0 && end->out != 0) {
    mark_ancestors(graph, from);
    if (end->marked) return CUDA_ERROR_INVALID_VALUE;
  }
  std::uint64_t handle = 0;
  GraphEdgeState* const made = edges.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {from, to, end->in, begin->out, data};
  end->in = handle;
  begin->out = handle;
  ++find_graph(graph)->edges;
  return CUDA_SUCCESS;
}

CUresult remove_edge(CUgraph graph, CUgraphNode from, CUgraphNode to, const CUgraphEdgeData& data) {
  const GraphNodeState* const begin = find_node(from);
  const std::uint64_t edge = begin == nullptr || begin->graph != graph ? 0 : edge_between(*begin, to);
  if (edge == 0 || std::memcmp(&find_edge(edge)->data, &data, sizeof data) != 0) return CUDA_ERROR_INVALID_VALUE;
  unlink(edge);
  return CUDA_SUCCESS;
}

void remove_edges_of(const GraphNodeState& node) {
  while (node.in != 0)
    unlink(node.in);
  while (node.out != 0)
    unlink(node.out);
}

CUresult depend_on(CUgraph graph, CUgraphNode node, const CUgraphNode* dependencies, std::size_t count,
                   const CUgraphEdgeData* data) {
  for (std::size_t i = 0; i < count; ++i) {
    const CUresult code = add_edge(graph, dependencies[i], node, data == nullptr ? CUgraphEdgeData{} : data[i]);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

void clear_marks(CUgraph graph) {
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next)
    find_node(each)->marked = false;
}

// Until nothing is new; of edges that lead from older to newer nodes, as nearly all do, in one pass.
void mark_ancestors(CUgraph graph, CUgraphNode of) {
  clear_marks(graph);
  find_node(of)->marked = true;
  for (bool again = true; again;) {
    again = false;
    for (CUgraphNode each = find_graph(graph)->last; each != nullptr; each = find_node(each)->previous) {
      if (!find_node(each)->marked) continue;
      for (std::uint64_t edge = find_node(each)->in; edge != 0; edge = find_edge(edge)->next_in) {
        GraphNodeState& before = *find_node(find_edge(edge)->from);
        again = again || (!before.marked && before.id > find_node(each)->id);
        before.marked = true;
      }
    }
  }
}

}  // namespace nvmlab::cuda
