// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/node_work.hpp"

#include "drivers/cuda/graphs/graph_memory.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/stream_words.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint64_t kMost = std::uint64_t{1} << 20;   // of rows: products do not overflow below
constexpr std::uint64_t kMostX = std::uint64_t{1} << 40;  // of elements of a row

CUresult check_fill(const CUDA_MEMSET_NODE_PARAMS& of) {
  const unsigned bytes = of.elementSize;
  if ((bytes != 1 && bytes != 2 && bytes != 4) || of.width == 0 || of.height == 0 || of.width > kMostX ||
      of.height > kMost)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t row = of.width * bytes;
  const bool one = of.height == 1;
  if (of.dst % bytes != 0 || (!one && (of.pitch % bytes != 0 || of.pitch < row || of.pitch > kMostX)))
    return CUDA_ERROR_INVALID_VALUE;
  return on_device(of.dst, one ? row : (of.height - 1) * of.pitch + row) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

template <class T>
void fill_row(std::uint64_t begin, std::uint64_t count, unsigned value) {
  T* const to = reinterpret_cast<T*>(begin);
  for (std::uint64_t i = 0; i < count; ++i)
    to[i] = static_cast<T>(value);
}

CUresult run_node_fill(void* payload, CUresult) {
  const CUDA_MEMSET_NODE_PARAMS& of = *static_cast<const CUDA_MEMSET_NODE_PARAMS*>(payload);
  {
    const Locked lock;
    if (check_fill(of) != CUDA_SUCCESS) return CUDA_ERROR_ILLEGAL_ADDRESS;  // it was freed since
  }
  for (std::uint64_t y = 0; y < of.height; ++y) {
    const std::uint64_t begin = of.dst + y * of.pitch;
    if (of.elementSize == 1) {
      fill_row<std::uint8_t>(begin, of.width, of.value);
    } else if (of.elementSize == 2) {
      fill_row<std::uint16_t>(begin, of.width, of.value);
    } else {
      fill_row<std::uint32_t>(begin, of.width, of.value);
    }
  }
  return CUDA_SUCCESS;
}

// What an event node does is done by the launch (hooks/executable_graphs.cpp), which knows the stream.
CUresult run_nothing(void*, CUresult) { return CUDA_SUCCESS; }

CUresult make_kernel(const KernelAsked& asked, WorkItem** out) {
  const CurrentContext current = find_current();
  return current.code == CUDA_SUCCESS ? make_kernel_item(asked, *current.context, out) : current.code;
}

}  // namespace

CUresult make_fill(const CUDA_MEMSET_NODE_PARAMS& asked, WorkItem** out) {
  const CUresult code = check_fill(asked);
  return code == CUDA_SUCCESS ? make_item({run_node_fill, nullptr, false, WorkType::fill}, asked, out) : code;
}

CUresult make_node_item(const NodeAsked& asked, WorkItem** out) {
  const PlannedMemory planned(true);
  CUresult code = CUDA_SUCCESS;
  switch (asked.type) {
    case WorkType::kernel:
      return make_kernel(asked.kernel, out);
    case WorkType::copy:
      return make_copy(asked.copy, out);
    case WorkType::fill:
      return make_fill(asked.fill, out);
    case WorkType::host:
      if (asked.host.function == nullptr) return CUDA_ERROR_INVALID_VALUE;
      return make_host_call(asked.host, out);
    case WorkType::wait:
    case WorkType::record:
      if (events.find(reinterpret_cast<std::uint64_t>(asked.event.event)) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      return make_item({run_nothing, nullptr, false, asked.type}, asked.event, out);
    case WorkType::words:
      code = check_operations(asked.words);
      return code == CUDA_SUCCESS ? make_operations(asked.words, out) : code;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS_v1& of, CUfunction function) {
  NodeAsked asked{};
  asked.type = WorkType::kernel;
  asked.kernel = {
      function,
      {{of.gridDimX, of.gridDimY, of.gridDimZ}, {of.blockDimX, of.blockDimY, of.blockDimZ}, of.sharedMemBytes},
      of.kernelParams,
      of.extra,
      false,
      {},
      0,
      true};
  return asked;
}
NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS& of) {
  return kernel_asked(of.launch, of.launch.func != nullptr ? of.launch.func : reinterpret_cast<CUfunction>(of.kern));
}
NodeAsked copy_asked(const CUDA_MEMCPY3D& of) {
  NodeAsked asked{};
  asked.type = WorkType::copy;
  asked.copy = box_copy(of);
  return asked;
}
NodeAsked fill_asked(const CUDA_MEMSET_NODE_PARAMS& of) {
  NodeAsked asked{};
  asked.type = WorkType::fill;
  asked.fill = of;
  return asked;
}
NodeAsked host_asked(const CUDA_HOST_NODE_PARAMS& of) {
  NodeAsked asked{};
  asked.type = WorkType::host;
  asked.host = {of.fn, nullptr, nullptr, of.userData};
  return asked;
}
NodeAsked words_asked(const CUDA_BATCH_MEM_OP_NODE_PARAMS& of) {
  NodeAsked asked{};
  asked.type = WorkType::words;
  asked.words = of;
  return asked;
}
NodeAsked event_asked(WorkType type, CUevent event) {
  NodeAsked asked{};
  asked.type = type;
  asked.event = {event};
  return asked;
}

CUresult any_asked(const CUgraphNodeParams& of, NodeAsked* asked) {
  switch (static_cast<WorkType>(of.type)) {
    case WorkType::kernel:
      *asked = kernel_asked(parameters_in<CUDA_KERNEL_NODE_PARAMS>(of));
      return CUDA_SUCCESS;
    case WorkType::copy:
      *asked = copy_asked(parameters_in<CUDA_MEMCPY3D>(of, kCopyInParameters));
      return CUDA_SUCCESS;
    case WorkType::fill:
      *asked = fill_asked(parameters_in<CUDA_MEMSET_NODE_PARAMS>(of));
      return CUDA_SUCCESS;
    case WorkType::host:
      *asked = host_asked(parameters_in<CUDA_HOST_NODE_PARAMS>(of));
      return CUDA_SUCCESS;
    case WorkType::wait:
    case WorkType::record:
      *asked = event_asked(static_cast<WorkType>(of.type), parameters_in<CUevent>(of));
      return CUDA_SUCCESS;
    case WorkType::words:
      *asked = words_asked(parameters_in<CUDA_BATCH_MEM_OP_NODE_PARAMS>(of));
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult check_kernel_context(const CUgraphNodeParams& of) {
  if (static_cast<WorkType>(of.type) != WorkType::kernel) return CUDA_SUCCESS;
  const auto& kernel = parameters_in<CUDA_KERNEL_NODE_PARAMS>(of);
  const Locked lock;
  const FunctionState* const function = find_function(kernel.launch.func);
  const ModuleState* const module = function == nullptr ? nullptr : find_module(function->module);
  const bool other = module != nullptr && kernel.ctx != nullptr && kernel.ctx != module->context;
  return other ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
