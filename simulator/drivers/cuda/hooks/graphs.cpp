// SPDX-License-Identifier: Apache-2.0
// Graphs as a program builds them and looks at them. Tests: tests/drivers/cuda/graphs_test.cpp.
#include "drivers/cuda/graphs/graphs.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/user_objects.hpp"

namespace nvmlab::cuda {
namespace {

// Up to as many as there is room for: the rest of the list is null, and `count` says how many were written; without a
// list it says how many there are.
class NodeList {
 public:
  NodeList(CUgraphNode* list, size_t* count) : list_(list), room_(list == nullptr ? 0 : *count), count_(count) {}
  void add(CUgraphNode node) {
    if (seen_ < room_) list_[seen_] = node;
    ++seen_;
  }
  CUresult told() {
    for (size_t i = seen_; i < room_; ++i)
      list_[i] = nullptr;
    *count_ = list_ == nullptr || seen_ < room_ ? seen_ : room_;
    return CUDA_SUCCESS;
  }

 private:
  CUgraphNode* list_;
  size_t room_;
  size_t* count_;
  size_t seen_ = 0;
};

CUresult list_nodes(CUgraph graph, CUgraphNode* list, size_t* count, bool roots) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(graph, [&](const GraphState& state) {
    NodeList nodes(list, count);
    for (CUgraphNode each = state.first; each != nullptr; each = find_node(each)->next) {
      if (!roots || find_node(each)->in == 0) nodes.add(each);
    }
    return nodes.told();
  });
}

// The edges of walk(each): their ends, of which one may be left out, and their data. What would lose data says so.
template <class Walk>
CUresult tell_edges(const Walk& walk, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count) {
  const bool listed = from != nullptr || to != nullptr;
  const size_t room = listed ? *count : 0;
  bool lossy = false;
  walk([&](const GraphEdgeState& edge) { lossy = lossy || !is_plain(edge.data); });
  if (lossy && listed && data == nullptr) return CUDA_ERROR_LOSSY_QUERY;
  size_t seen = 0;
  const auto write = [&](const GraphEdgeState& edge) {
    if (seen < room) {
      if (from != nullptr) from[seen] = edge.from;
      if (to != nullptr) to[seen] = edge.to;
      if (data != nullptr) data[seen] = edge.data;
    }
    ++seen;
  };
  walk(write);
  *count = listed && seen > room ? room : seen;
  while (seen < room)
    write({});
  return CUDA_SUCCESS;
}

CUresult list_edges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* data, size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr) || (data != nullptr && from == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  return with_graph(graph, [&](const GraphState& state) {
    const auto walk = [&](const auto& each) {
      for (CUgraphNode node = state.first; node != nullptr; node = find_node(node)->next) {
        for (std::uint64_t edge = find_node(node)->out; edge != 0; edge = find_edge(edge)->next_out)
          each(*find_edge(edge));
      }
    };
    return tell_edges(walk, from, to, data, count);
  });
}

CUresult list_neighbours(CUgraphNode node, CUgraphNode* list, CUgraphEdgeData* data, size_t* count, bool before) {
  if (count == nullptr || (data != nullptr && list == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  return with_node(node, [&](const GraphNodeState& state) {
    const auto walk = [&](const auto& each) {
      for (std::uint64_t edge = before ? state.in : state.out; edge != 0;
           edge = before ? find_edge(edge)->next_in : find_edge(edge)->next_out)
        each(*find_edge(edge));
    };
    return tell_edges(walk, before ? list : nullptr, before ? nullptr : list, data, count);
  });
}

struct EdgeChange {
  const CUgraphNode* from;
  const CUgraphNode* to;
  const CUgraphEdgeData* data;  // null: plain edges
  size_t count;
};

CUresult change_edges(CUgraph graph, const EdgeChange& asked,
                      CUresult (*change)(CUgraph, CUgraphNode, CUgraphNode, const CUgraphEdgeData&)) {
  if (asked.count == 0) return CUDA_SUCCESS;
  if (asked.from == nullptr || asked.to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(graph, [&](const GraphState& state) {
    if (change == remove_edge && state.memory_nodes != 0) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < asked.count; ++i) {
      const CUgraphEdgeData data = asked.data == nullptr ? CUgraphEdgeData{} : asked.data[i];
      if (const CUresult code = change(graph, asked.from[i], asked.to[i], data); code != CUDA_SUCCESS) return code;
    }
    return CUDA_SUCCESS;
  });
}

template <class Out, class State, class T>
CUresult give(const State& state, Out* out, T State::*member) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *out = state.*member;
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuGraphCreate(CUgraph* phGraph, unsigned int flags) {
  if (phGraph == nullptr || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  return create_graph(phGraph);
}

CUresult cuGraphDestroy(CUgraph hGraph) {
  const CUresult code = with_graph(hGraph, [hGraph](const GraphState& state) {
    if (state.owned) return CUDA_ERROR_INVALID_VALUE;
    if (is_captured(hGraph)) return CUDA_ERROR_ILLEGAL_STATE;
    destroy_graph(hGraph);
    return CUDA_SUCCESS;
  });
  destroy_user_objects();
  return code;
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  if (phGraphClone == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(originalGraph, [&](const GraphState& state) {
    return state.memory_nodes + state.conditionals != 0 ? CUDA_ERROR_INVALID_VALUE
                                                        : clone_graph(originalGraph, phGraphClone);
  });
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return with_node(hNode, [hNode](const GraphNodeState& state) {
    if (find_graph(state.graph)->memory_nodes != 0) return CUDA_ERROR_INVALID_VALUE;
    if (is_captured(state)) return CUDA_ERROR_ILLEGAL_STATE;
    remove_node(hNode);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeGetType(CUgraphNode hNode, CUgraphNodeType* type) {
  if (type == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_node(hNode, [type](const GraphNodeState& state) {
    *type = static_cast<CUgraphNodeType>(state.type);
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphGetNodes(CUgraph hGraph, CUgraphNode* nodes, size_t* numNodes) {
  return list_nodes(hGraph, nodes, numNodes, false);
}
CUresult cuGraphGetRootNodes(CUgraph hGraph, CUgraphNode* rootNodes, size_t* numRootNodes) {
  return list_nodes(hGraph, rootNodes, numRootNodes, true);
}
CUresult cuGraphGetEdges(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, size_t* numEdges) {
  return list_edges(hGraph, from, to, nullptr, numEdges);
}
CUresult cuGraphGetEdges_v2(CUgraph hGraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData* edgeData,
                            size_t* numEdges) {
  return list_edges(hGraph, from, to, edgeData, numEdges);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies, size_t* numDependencies) {
  return list_neighbours(hNode, dependencies, nullptr, numDependencies, true);
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode hNode, CUgraphNode* dependencies, CUgraphEdgeData* edgeData,
                                       size_t* numDependencies) {
  return list_neighbours(hNode, dependencies, edgeData, numDependencies, true);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes, size_t* numDependentNodes) {
  return list_neighbours(hNode, dependentNodes, nullptr, numDependentNodes, false);
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode hNode, CUgraphNode* dependentNodes, CUgraphEdgeData* edgeData,
                                         size_t* numDependentNodes) {
  return list_neighbours(hNode, dependentNodes, edgeData, numDependentNodes, false);
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return change_edges(hGraph, {from, to, nullptr, numDependencies}, add_edge);
}
CUresult cuGraphAddDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return change_edges(hGraph, {from, to, edgeData, numDependencies}, add_edge);
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return change_edges(hGraph, {from, to, nullptr, numDependencies}, remove_edge);
}
CUresult cuGraphRemoveDependencies_v2(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                      const CUgraphEdgeData* edgeData, size_t numDependencies) {
  return change_edges(hGraph, {from, to, edgeData, numDependencies}, remove_edge);
}

// Ids begin at 1 and are not given again; those of nodes count within their graph.
CUresult cuGraphGetId(CUgraph hGraph, unsigned int* graphId) {
  return with_graph(hGraph, [&](const GraphState& state) { return give(state, graphId, &GraphState::id); });
}
CUresult cuGraphExecGetId(CUgraphExec hGraphExec, unsigned int* graphId) {
  return with_executable(hGraphExec,
                         [&](const ExecutableState& state) { return give(state, graphId, &ExecutableState::id); });
}
CUresult cuGraphNodeGetLocalId(CUgraphNode hNode, unsigned int* nodeId) {
  return with_node(hNode, [&](const GraphNodeState& state) { return give(state, nodeId, &GraphNodeState::local_id); });
}
CUresult cuGraphNodeGetContainingGraph(CUgraphNode hNode, CUgraph* phGraph) {
  return with_node(hNode, [&](const GraphNodeState& state) { return give(state, phGraph, &GraphNodeState::graph); });
}
CUresult cuGraphNodeGetToolsId(CUgraphNode hNode, unsigned long long* toolsNodeId) {
  if (toolsNodeId == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_node(hNode, [&](const GraphNodeState& state) {
    *toolsNodeId = std::uint64_t{find_graph(state.graph)->id} << 32 | state.local_id;
    return CUDA_SUCCESS;
  });
}

CUresult cuGraphNodeFindInClone(CUgraphNode* phNode, CUgraphNode hOriginalNode, CUgraph hClonedGraph) {
  if (phNode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_node(hOriginalNode, [&](const GraphNodeState& original) {
    const GraphState* const clone = find_graph(hClonedGraph);
    CUgraphNode each = clone == nullptr ? nullptr : clone->first;
    while (each != nullptr && find_node(each)->original != original.id)
      each = find_node(each)->next;
    if (each == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *phNode = each;
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
