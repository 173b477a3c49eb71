// SPDX-License-Identifier: Apache-2.0
// How calls begin that are about a graph, one of its nodes, or one that can be launched: under the lock, where CUDA may
// be called. Tests: tests/drivers/cuda/graphs_test.cpp.
#pragma once

#include "drivers/cuda/graphs/executables.hpp"
#include "drivers/cuda/graphs/graphs.hpp"

namespace nvmlab::cuda {

template <class State, class Handle, class Body>
CUresult with_object(State* (*find)(Handle), Handle handle, const Body& body) {
  const Locked lock;
  if (in_host_function()) return CUDA_ERROR_NOT_PERMITTED;
  State* const found = find(handle);
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : body(*found);
}

template <class Body>
CUresult with_graph(CUgraph handle, const Body& body) {
  return with_object(find_graph, handle, body);
}
template <class Body>
CUresult with_node(CUgraphNode handle, const Body& body) {
  return with_object(find_node, handle, body);
}
template <class Body>
CUresult with_executable(CUgraphExec handle, const Body& body) {
  return with_object(find_executable, handle, body);
}

}  // namespace nvmlab::cuda
