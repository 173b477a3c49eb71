// SPDX-License-Identifier: Apache-2.0
// Graphs as a program builds them and looks at them. Tests: tests/drivers/cuda/graphs_test.cpp.
#include "drivers/cuda/graphs.hpp"

#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/user_objects.hpp"

namespace nvmlab::cuda {
namespace {

template <class Body>
CUresult with_graph(CUgraph handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  GraphState* const graph = find_graph(handle);
  return graph == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*graph);
}

template <class Body>
CUresult with_node(CUgraphNode handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  const GraphNodeState* const node = find_node(handle);
  return node == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*node);
}

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

CUresult list_edges(CUgraph graph, CUgraphNode* from, CUgraphNode* to, size_t* count) {
  if (count == nullptr || (from == nullptr) != (to == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(graph, [&](const GraphState& state) {
    size_t other = *count;
    NodeList begins(from, count);
    NodeList ends(to, &other);
    for (CUgraphNode each = state.first; each != nullptr; each = find_node(each)->next) {
      for (std::uint64_t edge = find_node(each)->out; edge != 0; edge = find_edge(edge)->next_out) {
        begins.add(each);
        ends.add(find_edge(edge)->to);
      }
    }
    ends.told();
    return begins.told();
  });
}

CUresult list_neighbours(CUgraphNode node, CUgraphNode* list, size_t* count, bool before) {
  if (count == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_node(node, [&](const GraphNodeState& state) {
    NodeList nodes(list, count);
    for (std::uint64_t edge = before ? state.in : state.out; edge != 0;
         edge = before ? find_edge(edge)->next_in : find_edge(edge)->next_out)
      nodes.add(before ? find_edge(edge)->from : find_edge(edge)->to);
    return nodes.told();
  });
}

CUresult change_edges(CUgraph graph, const CUgraphNode* from, const CUgraphNode* to, size_t count,
                      CUresult (*change)(CUgraph, CUgraphNode, CUgraphNode)) {
  if (count == 0) return CUDA_SUCCESS;
  if (from == nullptr || to == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(graph, [&](const GraphState&) {
    for (size_t i = 0; i < count; ++i) {
      if (const CUresult code = change(graph, from[i], to[i]); code != CUDA_SUCCESS) return code;
    }
    return CUDA_SUCCESS;
  });
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
    destroy_graph(hGraph);
    return CUDA_SUCCESS;
  });
  destroy_user_objects();
  return code;
}

CUresult cuGraphClone(CUgraph* phGraphClone, CUgraph originalGraph) {
  if (phGraphClone == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_graph(originalGraph, [&](const GraphState&) { return clone_graph(originalGraph, phGraphClone); });
}

CUresult cuGraphDestroyNode(CUgraphNode hNode) {
  return with_node(hNode, [hNode](const GraphNodeState&) {
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
  return list_edges(hGraph, from, to, numEdges);
}
CUresult cuGraphNodeGetDependencies(CUgraphNode hNode, CUgraphNode* dependencies, size_t* numDependencies) {
  return list_neighbours(hNode, dependencies, numDependencies, true);
}
CUresult cuGraphNodeGetDependentNodes(CUgraphNode hNode, CUgraphNode* dependentNodes, size_t* numDependentNodes) {
  return list_neighbours(hNode, dependentNodes, numDependentNodes, false);
}

CUresult cuGraphAddDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                size_t numDependencies) {
  return change_edges(hGraph, from, to, numDependencies, add_edge);
}
CUresult cuGraphRemoveDependencies(CUgraph hGraph, const CUgraphNode* from, const CUgraphNode* to,
                                   size_t numDependencies) {
  return change_edges(hGraph, from, to, numDependencies, remove_edge);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
