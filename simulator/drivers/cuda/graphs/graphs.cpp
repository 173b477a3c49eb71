// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/graphs.hpp"

#include <initializer_list>

#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/modules/launch_attributes.hpp"
#include "drivers/cuda/streams/user_objects.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<GraphState, ObjectKind::graph> graphs;
constinit Pool<GraphNodeState, ObjectKind::graph_node> nodes;
std::uint64_t last_node_id = 0;
std::uint32_t last_graph_id = 0;

// Whoever was placed in a sort.
constexpr std::uint32_t kPlaced = ~std::uint32_t{0};

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

CUresult copy_node(const GraphNodeState& from, CUgraph to, CUgraphNode* out) {
  if (const CUresult code = add_node(to, static_cast<WorkType>(from.type), out); code != CUDA_SUCCESS) return code;
  GraphNodeState& made = *find_node(*out);
  made.original = from.id;
  made.context = from.context;
  made.priority = from.priority;
  if (const CUresult code = copy_attributes(&made.attributes, from.attributes); code != CUDA_SUCCESS) return code;
  if (from.child != nullptr) {
    CUgraph child = nullptr;
    if (const CUresult code = clone_graph(from.child, &child); code != CUDA_SUCCESS) return code;
    adopt_graph(child, *out);
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
      const CUresult code =
          add_edge(to, same_place(*find_graph(from), *find_graph(to), before), made, find_edge(edge)->data);
      if (code != CUDA_SUCCESS) return code;
    }
    for (std::uint64_t edge = find_node(each)->out; edge != 0; edge = find_edge(edge)->next_out) {
      const CUgraphNode after = find_edge(edge)->to;
      if (find_node(after)->id > find_node(each)->id) continue;
      const CUresult code =
          add_edge(to, made, same_place(*find_graph(from), *find_graph(to), after), find_edge(edge)->data);
      if (code != CUDA_SUCCESS) return code;
    }
  }
  return CUDA_SUCCESS;
}

}  // namespace

GraphState* find_graph(CUgraph handle) { return graphs.find(number(handle)); }
GraphNodeState* find_node(CUgraphNode handle) { return nodes.find(number(handle)); }

std::uint32_t next_graph_id() { return ++last_graph_id; }

CUresult create_graph(CUgraph* out) {
  std::uint64_t handle = 0;
  GraphState* const made = graphs.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->id = next_graph_id();
  *out = reinterpret_cast<CUgraph>(handle);
  return CUDA_SUCCESS;
}

void destroy_graph(CUgraph handle) {
  const GraphState* const graph = find_graph(handle);
  if (graph == nullptr) return;
  while (graph->first != nullptr)
    remove_node(graph->first);
  release_user_objects_of(number(handle));
  let_go_of_conditions(handle);
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

CUresult add_node(CUgraph graph, WorkType type, CUgraphNode* out) {
  std::uint64_t handle = 0;
  GraphNodeState* const made = nodes.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *out = reinterpret_cast<CUgraphNode>(handle);
  GraphState& of = *find_graph(graph);
  made->graph = graph;
  made->type = static_cast<std::uint32_t>(type);
  made->id = ++last_node_id;
  made->local_id = of.next_local_id++;
  made->previous = of.last;
  (of.last == nullptr ? of.first : find_node(of.last)->next) = *out;
  of.last = *out;
  ++of.nodes;
  return CUDA_SUCCESS;
}

CUresult add_node(CUgraph graph, WorkItem* item, CUgraphNode* out) {
  const CUresult code = add_node(graph, item->work.type, out);
  if (code != CUDA_SUCCESS) {
    release_item(item);
    return code;
  }
  find_node(*out)->item = item;
  find_node(*out)->context = current_context();
  hold_memory(*item, graph);
  if (item->work.type == WorkType::conditional) count_conditionals(graph, 1);
  return CUDA_SUCCESS;
}

namespace {

void remove_bodies(const GraphNodeState& node) {
  count_conditionals(node.graph, -1);
  for (std::uint32_t i = 0; i < body_count(*node.item); ++i) {
    const auto body = reinterpret_cast<CUgraph>(bodies_of(*node.item)[i]);
    GraphState* const found = find_graph(body);
    if (found == nullptr) continue;
    count_conditionals(node.graph, -static_cast<std::int32_t>(found->conditionals));
    found->parent = nullptr;
    destroy_graph(body);
  }
}

}  // namespace

void remove_node(CUgraphNode handle) {
  GraphNodeState* const node = find_node(handle);
  if (node == nullptr) return;
  remove_edges_of(*node);
  GraphState& graph = *find_graph(node->graph);
  (node->previous == nullptr ? graph.first : find_node(node->previous)->next) = node->next;
  (node->next == nullptr ? graph.last : find_node(node->next)->previous) = node->previous;
  --graph.nodes;
  if (node->item != nullptr) let_go_of_memory(*node->item, node->graph);
  if (node->item != nullptr && node->item->work.type == WorkType::conditional) remove_bodies(*node);
  if (node->child != nullptr)
    count_memory_nodes(node->graph, -static_cast<std::int32_t>(find_graph(node->child)->memory_nodes));
  for (WorkItem* each : {node->item, node->told, node->attributes}) {
    if (each != nullptr) release_item(each);
  }
  const CUgraph child = node->child;
  nodes.remove(number(handle));
  if (child == nullptr) return;
  find_graph(child)->parent = nullptr;
  destroy_graph(child);
}

void adopt_body(CUgraph body, CUgraphNode node) {
  GraphState& made = *find_graph(body);
  made.owned = true;
  made.parent = find_node(node)->graph;
  std::uint32_t depth = made.depth;
  for (CUgraph each = made.parent; each != nullptr; each = find_graph(each)->parent) {
    ++depth;
    if (find_graph(each)->depth < depth) find_graph(each)->depth = depth;
  }
}

void adopt_graph(CUgraph child, CUgraphNode node) {
  find_node(node)->child = child;
  adopt_body(child, node);
  const GraphState& made = *find_graph(child);
  count_memory_nodes(made.parent, static_cast<std::int32_t>(made.memory_nodes));
}

std::uint32_t level_of(CUgraph graph) {
  std::uint32_t level = 0;
  for (CUgraph each = find_graph(graph)->parent; each != nullptr; each = find_graph(each)->parent)
    ++level;
  return level;
}

void count_conditionals(CUgraph graph, std::int32_t more) {
  for (CUgraph each = graph; each != nullptr; each = find_graph(each)->parent)
    find_graph(each)->conditionals += static_cast<std::uint32_t>(more);
}

void count_memory_nodes(CUgraph graph, std::int32_t more) {
  for (CUgraph each = graph; each != nullptr; each = find_graph(each)->parent)
    find_graph(each)->memory_nodes += static_cast<std::uint32_t>(more);
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
