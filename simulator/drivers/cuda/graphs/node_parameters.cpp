// SPDX-License-Identifier: Apache-2.0
// What nodes of graphs were asked to do, as a program is told of it (node_work.hpp). Tests:
// tests/drivers/cuda/graph_parameters_test.cpp.
#include "drivers/cuda/graphs/conditions.hpp"
#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/memory/stream_words.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

// The payload of a node of this type, or the beginning of it.
template <class T>
CUresult tell(const GraphNodeState& node, WorkType type, T* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(type) || node.item == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(out, payload_of(*node.item), sizeof *out);
  return CUDA_SUCCESS;
}

// Pointers that a program is told lead into memory of the node, until it is asked to do something else.
template <class T>
T* room_for(GraphNodeState& node, std::uint32_t count) {
  if (node.told == nullptr) node.told = create_item(static_cast<std::uint32_t>(sizeof(T) * count));
  return node.told == nullptr ? nullptr : static_cast<T*>(payload_of(*node.told));
}

struct PackedParameters {
  std::size_t size;
  void* extra[5];
};

CUresult tell_parameters(GraphNodeState& node, CUDA_KERNEL_NODE_PARAMS_v1* out) {
  auto* const launch = static_cast<QueuedLaunch*>(payload_of(*node.item));
  auto* const begin = reinterpret_cast<char*>(launch + 1);
  nvmlab_kernel_facts facts{};
  kernels()->describe(launch->request.kernel, &facts);
  if (facts.parameter_count == 0) return CUDA_SUCCESS;
  if (launch->packed) {
    auto* const packed = room_for<PackedParameters>(node, 1);
    if (packed == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    const auto tag = [](std::uintptr_t number) { return reinterpret_cast<void*>(number); };
    *packed = {facts.parameter_bytes, {tag(1), begin, tag(2), &packed->size, tag(0)}};
    out->extra = packed->extra;
    return CUDA_SUCCESS;
  }
  auto** const each = room_for<void*>(node, facts.parameter_count);
  if (each == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  for (std::uint32_t i = 0; i < facts.parameter_count; ++i) {
    nvmlab_parameter parameter{};
    kernels()->parameter(launch->request.kernel, i, &parameter);
    each[i] = begin + parameter.offset;
  }
  out->kernelParams = each;
  return CUDA_SUCCESS;
}

// What a child graph node has is its own, and no other can be made of it.
struct ChildParameters {
  CUgraph graph;
  int ownership;
};
constexpr int kNobodys = -1;

CUresult tell_type(GraphNodeState& node, CUgraphNodeParams& out) {
  constexpr std::size_t kCopyContext = 8;
  switch (static_cast<WorkType>(node.type)) {
    case WorkType::kernel:
      return tell_kernel(node, parameters_in<CUDA_KERNEL_NODE_PARAMS>(out));
    case WorkType::copy:
      *parameters_in<CUcontext>(out, kCopyContext) = node.context;
      return tell_copy(node, parameters_in<CUDA_MEMCPY3D>(out, kCopyInParameters));
    case WorkType::fill:
      *parameters_in<CUcontext>(out, sizeof(CUDA_MEMSET_NODE_PARAMS)) = node.context;
      return tell_fill(node, parameters_in<CUDA_MEMSET_NODE_PARAMS>(out));
    case WorkType::host:
      return tell_host(node, parameters_in<CUDA_HOST_NODE_PARAMS>(out));
    case WorkType::child:
      *parameters_in<ChildParameters>(out) = {node.child, kNobodys};
      return CUDA_SUCCESS;
    case WorkType::empty:
      return CUDA_SUCCESS;
    case WorkType::wait:
    case WorkType::record:
      return tell_event(node, static_cast<WorkType>(node.type), parameters_in<CUevent>(out));
    case WorkType::allocate:
      return tell_allocation(node, parameters_in<CUDA_MEM_ALLOC_NODE_PARAMS>(out));
    case WorkType::release:
      return tell_free(node, parameters_in<CUdeviceptr>(out));
    case WorkType::conditional: {
      const auto& of = *static_cast<const Conditional*>(payload_of(*node.item));
      *parameters_in<CUDA_CONDITIONAL_NODE_PARAMS>(out) = {of.condition, static_cast<int>(of.type), of.size,
                                                           reinterpret_cast<CUgraph*>(bodies_of(*node.item)),
                                                           of.context};
      return CUDA_SUCCESS;
    }
    case WorkType::words:
      return tell_words(node, parameters_in<CUDA_BATCH_MEM_OP_NODE_PARAMS>(out));
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

CUresult tell_kernel(GraphNodeState& node, CUDA_KERNEL_NODE_PARAMS* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(WorkType::kernel)) return CUDA_ERROR_INVALID_VALUE;
  const auto& launch = *static_cast<const QueuedLaunch*>(payload_of(*node.item));
  const FunctionState* const function = find_function(launch.function);  // a graph may have outlived its module
  if (function == nullptr || function->kernel != launch.request.kernel) return CUDA_ERROR_INVALID_HANDLE;
  const std::uint32_t* const grid = launch.request.grid;
  const std::uint32_t* const block = launch.request.block;
  *out = {{launch.function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
           launch.request.dynamic_shared_bytes, nullptr, nullptr},
          nullptr,
          node.context};
  return tell_parameters(node, &out->launch);
}

CUresult tell_copy(const GraphNodeState& node, CUDA_MEMCPY3D* out) {
  return tell(node, WorkType::copy, reinterpret_cast<BoxCopy*>(out));  // the payload begins with it
}
CUresult tell_fill(const GraphNodeState& node, CUDA_MEMSET_NODE_PARAMS* out) { return tell(node, WorkType::fill, out); }
CUresult tell_host(const GraphNodeState& node, CUDA_HOST_NODE_PARAMS* out) {
  HostFunction host{};
  const CUresult code = out == nullptr ? CUDA_ERROR_INVALID_VALUE : tell(node, WorkType::host, &host);
  if (code != CUDA_SUCCESS) return code;
  if (host.function == nullptr) return CUDA_ERROR_NOT_SUPPORTED;  // a stream's callback
  *out = {host.function, host.data};
  return CUDA_SUCCESS;
}
CUresult tell_event(const GraphNodeState& node, WorkType type, CUevent* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(type)) return CUDA_ERROR_INVALID_VALUE;
  *out = static_cast<const NodeEvent*>(payload_of(*node.item))->event;
  return CUDA_SUCCESS;
}

CUresult tell_allocation(const GraphNodeState& node, CUDA_MEM_ALLOC_NODE_PARAMS* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(WorkType::allocate)) return CUDA_ERROR_INVALID_VALUE;
  const auto* const payload = static_cast<const NodeAllocation*>(payload_of(*node.item));
  *out = payload->asked;
  if (out->accessDescCount != 0) out->accessDescs = reinterpret_cast<const CUmemAccessDesc*>(payload + 1);
  return CUDA_SUCCESS;
}
CUresult tell_free(const GraphNodeState& node, CUdeviceptr* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(WorkType::release)) return CUDA_ERROR_INVALID_VALUE;
  *out = static_cast<const NodeFree*>(payload_of(*node.item))->address;
  return CUDA_SUCCESS;
}
CUresult tell_words(const GraphNodeState& node, CUDA_BATCH_MEM_OP_NODE_PARAMS* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(WorkType::words)) return CUDA_ERROR_INVALID_VALUE;
  *out = told_operations(*node.item);
  return CUDA_SUCCESS;
}
CUresult tell_any(GraphNodeState& node, CUgraphNodeParams* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams told{};
  told.type = static_cast<CUgraphNodeType>(node.type);
  const CUresult code = tell_type(node, told);
  if (code == CUDA_SUCCESS) *out = told;
  return code;
}

}  // namespace nvmlab::cuda
