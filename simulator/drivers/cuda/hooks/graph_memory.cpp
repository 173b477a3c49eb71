// SPDX-License-Identifier: Apache-2.0
// Nodes that allocate and free memory, and what graphs have of a device. Tests:
// tests/drivers/cuda/graph_memory_test.cpp.
#include "drivers/cuda/graphs/graph_memory.hpp"

#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/graph_nodes.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"

namespace nvmlab::cuda {
namespace {

template <class Body>
CUresult with_device_pool(CUdevice device, const Body& body) {
  if (find_device(device) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  const Locked lock;
  const CUmemoryPool pool = graph_pool(static_cast<std::uint32_t>(device));
  return pool == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : body(*find_pool(pool));
}

// What is used now, its highest, and the same of what is reserved.
constexpr std::uint64_t PoolState::*kAttributes[] = {&PoolState::used, &PoolState::used_high, &PoolState::reserved,
                                                     &PoolState::reserved_high};

}  // namespace

CUresult add_allocation(const Place& place, CUDA_MEM_ALLOC_NODE_PARAMS* asked) {
  const ContextGuard current;
  if (current.code() != CUDA_SUCCESS) return current.code();
  NodeAllocation planned{};
  CUresult code = plan_allocation(place.graph, asked, &planned);
  if (code != CUDA_SUCCESS) return code;
  code = check_place(place);
  WorkItem* item = nullptr;
  if (code == CUDA_SUCCESS) code = make_allocation_item(planned, asked->accessDescs, &item);
  if (code == CUDA_SUCCESS) code = add_at(place, item);
  if (code != CUDA_SUCCESS) forget_plan(planned.memory);
  return code;
}

CUresult add_free(const Place& place, CUdeviceptr address) {
  const ContextGuard current;
  if (current.code() != CUDA_SUCCESS) return current.code();
  NodeFree planned{};
  CUresult code = plan_free(place.graph, address, &planned);
  if (code == CUDA_SUCCESS) code = check_place(place);
  WorkItem* item = nullptr;
  if (code == CUDA_SUCCESS) code = make_free_item(planned, &item);
  return code == CUDA_SUCCESS ? add_at(place, item) : code;
}

namespace hooks {

CUresult cuGraphAddMemAllocNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                                size_t numDependencies, CUDA_MEM_ALLOC_NODE_PARAMS* nodeParams) {
  if (nodeParams == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return add_allocation({phGraphNode, hGraph, dependencies, numDependencies}, nodeParams);
}
CUresult cuGraphAddMemFreeNode(CUgraphNode* phGraphNode, CUgraph hGraph, const CUgraphNode* dependencies,
                               size_t numDependencies, CUdeviceptr dptr) {
  return add_free({phGraphNode, hGraph, dependencies, numDependencies}, dptr);
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode hNode, CUDA_MEM_ALLOC_NODE_PARAMS* params_out) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_allocation(node, params_out); });
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode hNode, CUdeviceptr* dptr_out) {
  return with_node(hNode, [&](const GraphNodeState& node) { return tell_free(node, dptr_out); });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return with_device_pool(device, [](PoolState& pool) {
    trim_footprints(pool.device);
    trim_pool(pool, 0);
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  if (value == nullptr || attr < 0 || attr > 3) return CUDA_ERROR_INVALID_VALUE;
  return with_device_pool(device, [&](const PoolState& pool) {
    drop_unused_footprints();
    *static_cast<cuuint64_t*>(value) = pool.*kAttributes[attr];
    return CUDA_SUCCESS;
  });
}
// What was highest begins anew, at what is there now.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  if (value == nullptr || (attr != 1 && attr != 3) || *static_cast<const cuuint64_t*>(value) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  return with_device_pool(device, [&](PoolState& pool) {
    pool.*kAttributes[attr] = pool.*kAttributes[attr - 1];
    return CUDA_SUCCESS;
  });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
