// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/executables.hpp"

#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/streams/user_objects.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<ExecutableState, ObjectKind::executable_graph> executables;

std::uint64_t number_of(CUgraphExec handle) { return reinterpret_cast<std::uint64_t>(handle); }

void release(ExecutableState& executable);

void release_bodies(WorkItem& item) {
  if (item.work.type != WorkType::conditional) return;
  for (std::uint32_t i = 0; i < body_count(item); ++i) {
    ExecutableState body{};
    body.first = reinterpret_cast<WorkItem*>(bodies_of(item)[i]);
    release(body);
  }
}

void release(ExecutableState& executable) {
  while (executable.first != nullptr) {
    WorkItem* const gone = executable.first;
    executable.first = gone->next;
    let_go_of_memory(*gone, nullptr);
    release_bodies(*gone);
    release_item(gone);
  }
  executable.last = nullptr;
}

CUresult append_all(ExecutableState& to, CUgraph graph);

// What may be decided about while a graph runs: work without a stream of its own.
bool may_be_in_body(const GraphNodeState& node) {
  constexpr std::uint32_t kAllowed = 1U << 0 | 1U << 1 | 1U << 2 | 1U << 4 | 1U << 5 | 1U << 13;
  return (kAllowed >> node.type & 1) != 0;
}

CUresult check_body(CUgraph graph) {
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next) {
    const GraphNodeState& node = *find_node(each);
    if (!may_be_in_body(node) || (node.item != nullptr && !has_blocks(*node.item))) return CUDA_ERROR_INVALID_VALUE;
    if (node.child == nullptr) continue;
    if (const CUresult code = check_body(node.child); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

// In the place of the graphs of a node come lists of their work.
CUresult take_bodies(WorkItem& made) {
  CUresult code = CUDA_SUCCESS;
  for (std::uint32_t i = 0; i < body_count(made); ++i) {
    const auto graph = reinterpret_cast<CUgraph>(bodies_of(made)[i]);
    bodies_of(made)[i] = 0;
    if (code == CUDA_SUCCESS) code = check_body(graph);
    if (code != CUDA_SUCCESS) continue;
    ExecutableState body{};
    code = append_all(body, graph);
    bodies_of(made)[i] = reinterpret_cast<std::uint64_t>(body.first);
  }
  return code;
}

CUresult append(ExecutableState& to, const GraphNodeState& node) {
  WorkItem* const made = copy_item(*node.item);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->serial = node.id;
  hold_memory(*made, nullptr);
  link_item(to, made);
  return made->work.type == WorkType::conditional ? take_bodies(*made) : CUDA_SUCCESS;
}

// Child graphs are not deep (cuGraphAddChildGraphNode).
CUresult append_all(ExecutableState& to, CUgraph graph) {
  count_waits(graph);
  for (CUgraphNode each = take_next(graph, nullptr); each != nullptr; each = take_next(graph, each)) {
    const GraphNodeState& node = *find_node(each);
    CUresult code = CUDA_SUCCESS;
    if (node.child != nullptr) code = append_all(to, node.child);
    if (code == CUDA_SUCCESS && node.item != nullptr) code = append(to, node);
    if (code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

WorkItem** place_of(ExecutableState& executable, std::uint64_t serial) {
  WorkItem** place = &executable.first;
  while (*place != nullptr && (*place)->serial != serial)
    place = &(*place)->next;
  return place;
}

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t mixed = (a ^ b * 0x9E3779B97F4A7C15) + 0x632BE59BD9B4E019;
  mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9;
  mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB;
  return mixed ^ mixed >> 31;
}

}  // namespace

void link_item(ExecutableState& to, WorkItem* made) {
  (to.last == nullptr ? to.first : to.last->next) = made;
  to.last = made;
}

ExecutableState* find_executable(CUgraphExec handle) { return executables.find(number_of(handle)); }

CUresult create_executable(CUgraph graph, std::uint64_t flags, CUgraphExec* out) {
  GraphState& of = *find_graph(graph);
  if (of.moved || (of.memory_nodes + of.conditionals != 0 && of.executables != 0)) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t handle = 0;
  ExecutableState* const made = executables.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  made->graph = graph;
  ++of.executables;
  hold_conditions(graph);
  made->has_memory = of.memory_nodes != 0;
  made->has_conditions = of.conditionals != 0;
  made->flags = flags;
  made->shape = shape_of(graph);
  made->id = next_graph_id();
  CUresult code = append_first_values(graph, *made);
  if (code == CUDA_SUCCESS) code = append_all(*made, graph);
  if (code == CUDA_SUCCESS) code = share_user_objects(reinterpret_cast<std::uint64_t>(graph), handle);
  if (code != CUDA_SUCCESS) {
    destroy_executable(reinterpret_cast<CUgraphExec>(handle));
    return code;
  }
  *out = reinterpret_cast<CUgraphExec>(handle);
  return CUDA_SUCCESS;
}

void destroy_executable(CUgraphExec handle) {
  ExecutableState& gone = *find_executable(handle);
  release(gone);
  if (GraphState* graph = find_graph(gone.graph)) --graph->executables;
  let_go_of_conditions(gone.graph);
  let_go_of_footprints(gone.id);
  release_user_objects_of(number_of(handle));
  executables.remove(number_of(handle));
}

// Edges stand in lists of any order, so theirs is a sum.
GraphShape shape_of(CUgraph graph) {
  std::uint32_t place = 0;
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next)
    find_node(each)->waits = place++;
  GraphShape shape{place, place};
  for (CUgraphNode each = find_graph(graph)->first; each != nullptr; each = find_node(each)->next) {
    const GraphNodeState& node = *find_node(each);
    shape.types = mix(shape.types, node.type);
    for (std::uint64_t edge = node.out; edge != 0; edge = find_edge(edge)->next_out)
      shape.edges += mix(node.waits, find_node(find_edge(edge)->to)->waits);
    if (node.child == nullptr) continue;
    const GraphShape child = shape_of(node.child);
    shape.types = mix(shape.types, child.types);
    shape.edges += mix(node.waits, child.edges);
  }
  return shape;
}

CUresult replace_all(ExecutableState& executable, CUgraph graph) {
  ExecutableState made{};
  if (const CUresult code = append_all(made, graph); code != CUDA_SUCCESS) {
    release(made);
    return code;
  }
  const WorkItem* before = executable.first;
  for (WorkItem* each = made.first; each != nullptr && before != nullptr; each = each->next, before = before->next) {
    each->serial = before->serial;  // it is told by the nodes of the graph that it was made from
    each->disabled = before->disabled;
  }
  release(executable);
  executable.first = made.first;
  executable.last = made.last;
  return CUDA_SUCCESS;
}

WorkItem** item_of(ExecutableState& executable, const GraphNodeState& node) {
  WorkItem** const place = place_of(executable, node.id);
  return *place == nullptr ? nullptr : place;
}

void replace_item(ExecutableState& executable, WorkItem** place, WorkItem* made) {
  WorkItem* const gone = *place;
  made->serial = gone->serial;
  made->next = gone->next;
  made->disabled = gone->disabled;
  *place = made;
  if (executable.last == gone) executable.last = made;
  let_go_of_memory(*gone, nullptr);
  release_item(gone);
}

namespace {

// What was taken as a list goes to the places of the items that have the numbers of another list.
CUresult exchange(ExecutableState& executable, const ExecutableState& old, ExecutableState& made) {
  for (const WorkItem* each = old.first; each != nullptr; each = each->next) {
    if (*place_of(executable, each->serial) == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  for (const WorkItem* each = old.first; each != nullptr; each = each->next) {
    WorkItem* const next = made.first;
    made.first = next->next;
    replace_item(executable, place_of(executable, each->serial), next);
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult replace_child(ExecutableState& executable, CUgraph child, CUgraph graph) {
  const GraphShape from = shape_of(child);
  const GraphShape to = shape_of(graph);
  if (from.edges != to.edges || from.types != to.types) return CUDA_ERROR_INVALID_VALUE;
  if (find_graph(child)->memory_nodes != 0 || find_graph(graph)->memory_nodes != 0) return CUDA_ERROR_INVALID_VALUE;
  ExecutableState old{};
  ExecutableState made{};
  CUresult code = append_all(old, child);
  if (code == CUDA_SUCCESS) code = append_all(made, graph);
  if (code == CUDA_SUCCESS) code = exchange(executable, old, made);
  release(old);
  release(made);
  return code;
}

}  // namespace nvmlab::cuda
