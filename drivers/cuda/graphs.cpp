// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs.hpp"

#include "drivers/cuda/user_objects.hpp"
#include "drivers/cuda/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<GraphState, ObjectKind::graph> graphs;
constinit Pool<GraphNodeState, ObjectKind::graph_node> nodes;
constinit Pool<GraphEdgeState, ObjectKind::graph_edge> edges;
std::uint64_t last_node_id = 0;

// Whoever was placed in a sort.
constexpr std::uint32_t kPlaced = ~std::uint32_t{0};

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

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

CUresult copy_node(const GraphNodeState& from, CUgraph to, CUgraphNode* out) {
  if (const CUresult code = add_node(to, from.type, out); code != CUDA_SUCCESS) return code;
  GraphNodeState& made = *find_node(*out);
  if (from.child != nullptr) {
    CUgraph child = nullptr;
    if (const CUresult code = clone_graph(from.child, &child); code != CUDA_SUCCESS) return code;
    find_graph(child)->owned = true;
    made.child = child;
  }
  if (from.item == nullptr) return CUDA_SUCCESS;
  made.item = copy_item(*from.item);
  return made.item == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

// Nodes of the copy stand in the same order, so both lists are gone through side by side.
CUgraphNode same_place(const GraphState& original, const GraphState& copy, CUgraphNode node) {
  CUgraphNode there = copy.first;
  for (CUgraphNode each = original.first; each != node; each = find_node(each)->next)
    there = find_node(there)->next;
  return there;
}

CUresult copy_all(CUgraph from, CUgraph to) {
  for (CUgraphNode each = find_graph(from)->first; each != nullptr; each = find_node(each)->next) {
    CUgraphNode made = nullptr;
    if (const CUresult code = copy_node(*find_node(each), to, &made); code != CUDA_SUCCESS) return code;
    for (std::uint64_t edge = find_node(each)->in; edge != 0; edge = find_edge(edge)->next_in) {
      const CUgraphNode before = find_edge(edge)->from;
      if (find_node(before)->id > find_node(each)->id) continue;  // below, when both are there
      const CUresult code = add_edge(to, same_place(*find_graph(from), *find_graph(to), before), made);
      if (code != CUDA_SUCCESS) return code;
    }
    for (std::uint64_t edge = find_node(each)->out; edge != 0; edge = find_edge(edge)->next_out) {
      const CUgraphNode after = find_edge(edge)->to;
      if (find_node(after)->id > find_node(each)->id) continue;
      const CUresult code = add_edge(to, made, same_place(*find_graph(from), *find_graph(to), after));
      if (code != CUDA_SUCCESS) return code;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

GraphState* find_graph(CUgraph handle) { return graphs.find(number(handle)); }
GraphNodeState* find_node(CUgraphNode handle) { return nodes.find(number(handle)); }
GraphEdgeState* find_edge(std::uint64_t handle) { return edges.find(handle); }

CUresult create_graph(CUgraph* out) {
  std::uint64_t handle = 0;
  if (graphs.create(&handle) == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUgraph>(handle);
  return CUDA_SUCCESS;
}

void destroy_graph(CUgraph handle) {
  const GraphState* const graph = find_graph(handle);
  if (graph == nullptr) return;
  while (graph->first != nullptr)
    remove_node(graph->first);
  release_user_objects_of(number(handle));
  graphs.remove(number(handle));
}

CUresult clone_graph(CUgraph from, CUgraph* out) {
  CUresult code = create_graph(out);
  if (code != CUDA_SUCCESS) return code;
  find_graph(*out)->depth = find_graph(from)->depth;
  code = copy_all(from, *out);
  if (code == CUDA_SUCCESS) code = share_user_objects(number(from), number(*out));
  if (code != CUDA_SUCCESS) destroy_graph(*out);
  return code;
}

CUresult add_node(CUgraph graph, std::uint32_t type, CUgraphNode* out) {
  std::uint64_t handle = 0;
  GraphNodeState* const made = nodes.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUgraphNode>(handle);
  GraphState& of = *find_graph(graph);
  made->graph = graph;
  made->type = type;
  made->id = ++last_node_id;
  made->previous = of.last;
  (of.last == nullptr ? of.first : find_node(of.last)->next) = *out;
  of.last = *out;
  ++of.nodes;
  return CUDA_SUCCESS;
}

CUresult add_work_node(CUgraph graph, const Work& work, std::uint32_t size,
                       CUresult (*write)(void* payload, const void* user), const void* user, CUgraphNode* out) {
  WorkItem* item = nullptr;
  CUresult code = make_item(work, size, write, user, &item);
  if (code != CUDA_SUCCESS) return code;
  code = add_node(graph, static_cast<std::uint32_t>(work.type), out);
  if (code == CUDA_SUCCESS) {
    find_node(*out)->item = item;
  } else {
    release_item(item);
  }
  return code;
}

void remove_node(CUgraphNode handle) {
  GraphNodeState* const node = find_node(handle);
  if (node == nullptr) return;
  while (node->in != 0)
    unlink(node->in);
  while (node->out != 0)
    unlink(node->out);
  GraphState& graph = *find_graph(node->graph);
  (node->previous == nullptr ? graph.first : find_node(node->previous)->next) = node->next;
  (node->next == nullptr ? graph.last : find_node(node->next)->previous) = node->previous;
  --graph.nodes;
  if (node->item != nullptr) release_item(node->item);
  const CUgraph child = node->child;
  nodes.remove(number(handle));
  if (child != nullptr) destroy_graph(child);
}

CUresult add_edge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
  GraphNodeState* const begin = find_node(from);
  GraphNodeState* const end = find_node(to);
  if (begin == nullptr || end == nullptr || from == to || begin->graph != graph || end->graph != graph)
    return CUDA_ERROR_INVALID_VALUE;
  if (edge_between(*begin, to) != 0) return CUDA_ERROR_INVALID_VALUE;
  if (begin->in != 0 && end->out != 0) {
    mark_ancestors(graph, from);
    if (end->marked) return CUDA_ERROR_INVALID_VALUE;
  }
  std::uint64_t handle = 0;
  GraphEdgeState* const made = edges.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = {from, to, end->in, begin->out};
  end->in = handle;
  begin->out = handle;
  ++find_graph(graph)->edges;
  return CUDA_SUCCESS;
}

CUresult remove_edge(CUgraph graph, CUgraphNode from, CUgraphNode to) {
  const GraphNodeState* const begin = find_node(from);
  const std::uint64_t edge = begin == nullptr || begin->graph != graph ? 0 : edge_between(*begin, to);
  if (edge == 0) return CUDA_ERROR_INVALID_VALUE;
  unlink(edge);
  return CUDA_SUCCESS;
}

CUresult depend_on(CUgraph graph, CUgraphNode node, const CUgraphNode* dependencies, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (const CUresult code = add_edge(graph, dependencies[i], node); code != CUDA_SUCCESS) return code;
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

void count_waits(CUgraph graph) {
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next) {
    GraphNodeState& node = *find_node(each);
    node.waits = 0;
    for (std::uint64_t edge = node.in; edge != 0; edge = find_edge(edge)->next_in)
      ++node.waits;
  }
}

CUgraphNode take_next(CUgraph graph, CUgraphNode after) {
  const CUgraphNode begin = after == nullptr ? find_graph(graph)->first : find_node(after)->next;
  for (int pass = 0; pass < 2; ++pass) {
    for (CUgraphNode each = pass == 0 ? begin : find_graph(graph)->first; each != nullptr;
         each = find_node(each)->next) {
      GraphNodeState& node = *find_node(each);
      if (node.waits != 0) continue;
      node.waits = kPlaced;
      for (std::uint64_t edge = node.out; edge != 0; edge = find_edge(edge)->next_out)
        --find_node(find_edge(edge)->to)->waits;
      return each;
    }
  }
  return nullptr;
}

}  // namespace nvmlab::cuda
