// SPDX-License-Identifier: Apache-2.0
// Attributes of kernel nodes and of streams. Tests: tests/drivers/cuda/launch_attributes_test.cpp.
#include "drivers/cuda/graphs/graph_calls.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/modules/kernel_work.hpp"
#include "drivers/cuda/modules/launch_attributes.hpp"

namespace nvmlab::cuda {
namespace {

QueuedLaunch& launch_of(const GraphNodeState& node) { return *static_cast<QueuedLaunch*>(payload_of(*node.item)); }

template <class Body>
CUresult with_kernel_node(CUgraphNode handle, const Body& body) {
  return with_node(handle, [&](GraphNodeState& node) {
    return node.type == static_cast<std::uint32_t>(WorkType::kernel) ? body(node) : CUDA_ERROR_INVALID_VALUE;
  });
}

}  // namespace

namespace hooks {

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, CUkernelNodeAttrValue* value_out) {
  return with_kernel_node(hNode, [&](const GraphNodeState& node) {
    const QueuedLaunch& launch = launch_of(node);
    return get_attribute(AttributeOwner::kernel_node, node.attributes, attr,
                         {launch.request.cooperative != 0, node.priority, launch.device, launch.request.cluster},
                         value_out);
  });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode hNode, CUkernelNodeAttrID attr, const CUkernelNodeAttrValue* value) {
  if (value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_kernel_node(hNode, [&](GraphNodeState& node) {
    QueuedLaunch& launch = launch_of(node);
    if (attr == kCluster) {
      CUresult allowed = check_cluster(*value);
      if (allowed == CUDA_SUCCESS) allowed = set_cluster(launch, value->dimensions);
      if (allowed != CUDA_SUCCESS) return allowed;
    }
    const CUresult code = set_attribute(AttributeOwner::kernel_node, &node.attributes, attr, *value, launch.device);
    if (code == CUDA_SUCCESS && attr == kCooperative)
      launch.request.cooperative = static_cast<std::uint32_t>(value->number);
    return code;
  });
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode dst, CUgraphNode src) {
  return with_kernel_node(dst, [&](GraphNodeState& to) {
    const GraphNodeState* const from = find_node(src);
    if (from == nullptr || from->type != to.type || from->context != to.context) return CUDA_ERROR_INVALID_VALUE;
    if (from == &to) return CUDA_SUCCESS;
    const nvmlab_launch& launch = launch_of(*from).request;
    if (const CUresult code = set_cluster(launch_of(to), launch.cluster); code != CUDA_SUCCESS) return code;
    launch_of(to).request.cooperative = launch.cooperative;
    to.priority = from->priority;
    return copy_attributes(&to.attributes, from->attributes);
  });
}

CUresult cuStreamGetAttribute(CUstream hStream, CUstreamAttrID attr, CUstreamAttrValue* value) {
  const StreamGuard guard(hStream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  return get_attribute(AttributeOwner::stream, guard.queue().attributes, attr,
                       {false, guard.queue().priority, guard.context().device}, value);
}

CUresult cuStreamSetAttribute(CUstream hStream, CUstreamAttrID attr, const CUstreamAttrValue* param) {
  if (param == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const StreamGuard guard(hStream);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const CUresult code =
      set_attribute(AttributeOwner::stream, &guard.queue().attributes, attr, *param, guard.context().device);
  if (code == CUDA_SUCCESS && attr == kPriority) guard.queue().priority = clamp_priority(param->number);
  return code;
}

CUresult cuStreamCopyAttributes(CUstream dstStream, CUstream srcStream) {
  const StreamGuard to(dstStream);
  if (to.code() != CUDA_SUCCESS) return to.code();
  StreamState from{};
  if (const CUresult code = find_stream(srcStream, &from); code != CUDA_SUCCESS) return code;
  if (from.context != to.stream().context) return CUDA_ERROR_INVALID_VALUE;
  if (from.queue == &to.queue()) return CUDA_SUCCESS;
  to.queue().priority = from.queue->priority;
  return copy_attributes(&to.queue().attributes, from.queue->attributes);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
