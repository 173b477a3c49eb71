// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/graph_places.hpp"

namespace nvmlab::cuda {
namespace {

CUresult join(const Place& place, CUgraphNode made) {
  const CUresult code = depend_on(place.graph, made, place.dependencies, place.count, place.data);
  if (code == CUDA_SUCCESS) {
    *place.out = made;
  } else {
    remove_node(made);
  }
  return code;
}

}  // namespace

CUresult check_place(const Place& place) {
  const bool good =
      place.out != nullptr && find_graph(place.graph) != nullptr && (place.count == 0 || place.dependencies != nullptr);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult add_at(const Place& place, WorkItem* item) {
  CUgraphNode made = nullptr;
  const CUresult code = add_node(place.graph, item, &made);
  return code == CUDA_SUCCESS ? join(place, made) : code;
}

CUresult add_at(const Place& place, WorkType type) {
  CUgraphNode made = nullptr;
  const CUresult code = add_node(place.graph, type, &made);
  return code == CUDA_SUCCESS ? join(place, made) : code;
}

}  // namespace nvmlab::cuda
