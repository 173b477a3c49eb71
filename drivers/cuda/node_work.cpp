// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/node_work.hpp"

#include <initializer_list>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/stream_objects.hpp"
#include "drivers/cuda/work_items.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kHost = 1;
constexpr int kDevice = 2;
constexpr int kArray = 3;
constexpr int kUnified = 4;
constexpr std::uint64_t kMost = std::uint64_t{1} << 20;   // of rows and slices: products do not overflow below
constexpr std::uint64_t kMostX = std::uint64_t{1} << 40;  // of bytes of a row that is alone

struct Box {
  std::uint64_t address;
  std::uint64_t pitch;
  std::uint64_t slice;
  bool known;  // memory that was allocated here
};

std::uint64_t extent(const Box& box, const NodeCopy& of) {
  return (of.depth - 1) * box.slice + (of.height - 1) * box.pitch + of.width;
}

CUresult box_of(const CopyEnd& end, const NodeCopy& of, Box* box) {
  if (end.type == kArray) return CUDA_ERROR_NOT_SUPPORTED;
  if (end.type != kHost && end.type != kDevice && end.type != kUnified) return CUDA_ERROR_INVALID_VALUE;
  const bool line = of.height == 1 && of.depth == 1 && end.y == 0 && end.z == 0;
  const std::uint64_t most = line ? kMostX : kMost;
  if (end.x > most || of.width > most || end.y > kMost || of.height > kMost || end.z > kMost || of.depth > kMost)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t pitch = end.pitch == 0 || line ? end.x + of.width : end.pitch;
  const std::uint64_t height = end.height == 0 ? end.y + of.height : end.height;
  if (pitch > 2 * most || height > 2 * kMost || pitch < end.x + of.width || height < end.y + of.height)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t begin = end.type == kHost ? end.host : end.device;
  if (begin == 0) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t slice = pitch * height;
  *box = {begin + end.z * slice + end.y * pitch + end.x, pitch, slice, false};
  box->known = find_allocation(box->address) != nullptr;
  const bool inside = on_device(box->address, extent(*box, of));
  return (end.type == kDevice || box->known) && !inside ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult run_node_copy(void* payload, CUresult) {
  const NodeCopy& of = *static_cast<const NodeCopy*>(payload);
  if (of.width == 0 || of.height == 0 || of.depth == 0) return CUDA_SUCCESS;
  Box from{};
  Box to{};
  {
    const Locked lock;
    if (box_of(of.from, of, &from) != CUDA_SUCCESS || box_of(of.to, of, &to) != CUDA_SUCCESS)
      return CUDA_ERROR_ILLEGAL_ADDRESS;  // it was freed since
  }
  for (std::uint64_t z = 0; z < of.depth; ++z) {
    for (std::uint64_t y = 0; y < of.height; ++y)
      std::memmove(reinterpret_cast<void*>(to.address + z * to.slice + y * to.pitch),
                   reinterpret_cast<const void*>(from.address + z * from.slice + y * from.pitch), of.width);
  }
  return CUDA_SUCCESS;
}

CUresult check_copy(const NodeCopy& of) {
  if (of.width == 0 || of.height == 0 || of.depth == 0) return CUDA_ERROR_INVALID_VALUE;
  Box box{};
  for (const CopyEnd* each : {&of.from, &of.to}) {
    if (const CUresult code = box_of(*each, of, &box); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

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

template <class T>
CUresult use_struct(const UseWork& use, const Work& work, const T& of) {
  return use.use(
      use.user, work, sizeof of,
      [](void* payload, const void* from) {
        std::memcpy(payload, from, sizeof(T));
        return CUDA_SUCCESS;
      },
      &of);
}

CUresult use_kernel(const KernelAsked& asked, const UseWork& use) {
  return with_current_locked([&](CUcontext, const Context& state) { return with_kernel_work(asked, state, use); });
}

// The payload of a node whose work is this one.
template <class T>
CUresult tell(const GraphNodeState& node, WorkType type, CUresult (*run)(void*, CUresult), T* out) {
  if (out == nullptr || node.type != static_cast<std::uint32_t>(type) || node.item == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  if (node.item->work.run != run) return CUDA_ERROR_NOT_SUPPORTED;
  std::memcpy(out, payload_of(*node.item), sizeof *out);
  return CUDA_SUCCESS;
}

}  // namespace

CUresult with_node_work(const NodeAsked& asked, const UseWork& use) {
  CUresult code = CUDA_SUCCESS;
  switch (asked.type) {
    case WorkType::kernel:
      return use_kernel(asked.kernel, use);
    case WorkType::copy:
      code = check_copy(asked.copy);
      return code == CUDA_SUCCESS ? use_struct(use, {run_node_copy, nullptr, false, asked.type}, asked.copy) : code;
    case WorkType::fill:
      code = check_fill(asked.fill);
      return code == CUDA_SUCCESS ? use_struct(use, {run_node_fill, nullptr, false, asked.type}, asked.fill) : code;
    case WorkType::host:
      if (asked.host.function == nullptr) return CUDA_ERROR_INVALID_VALUE;
      return use_struct(use, host_work(asked.host), asked.host);
    case WorkType::wait:
    case WorkType::record:
      if (events.find(reinterpret_cast<std::uint64_t>(asked.event.event)) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
      return use_struct(use, {run_nothing, nullptr, false, asked.type}, asked.event);
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult make_node_item(const NodeAsked& asked, WorkItem** out) {
  const UseWork use{[](void* user, const Work& work, std::uint32_t size, WriteWork write, const void* data) {
                      return make_item(work, size, write, data, static_cast<WorkItem**>(user));
                    },
                    out};
  return with_node_work(asked, use);
}

NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS_v1& of, CUfunction function) {
  NodeAsked asked{};
  asked.type = WorkType::kernel;
  asked.kernel = {
      function,
      {{of.gridDimX, of.gridDimY, of.gridDimZ}, {of.blockDimX, of.blockDimY, of.blockDimZ}, of.sharedMemBytes},
      of.kernelParams,
      of.extra,
      false};
  return asked;
}
NodeAsked kernel_asked(const CUDA_KERNEL_NODE_PARAMS& of) {
  return kernel_asked(of.launch, of.launch.func != nullptr ? of.launch.func : reinterpret_cast<CUfunction>(of.kern));
}
NodeAsked copy_asked(const CUDA_MEMCPY3D& of) {
  NodeAsked asked{};
  asked.type = WorkType::copy;
  std::memcpy(&asked.copy, static_cast<const void*>(&of), sizeof asked.copy);
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
NodeAsked event_asked(WorkType type, CUevent event) {
  NodeAsked asked{};
  asked.type = type;
  asked.event = {event};
  return asked;
}

CUresult any_asked(const CUgraphNodeParams& of, NodeAsked* asked) {
  constexpr std::size_t kCopyBegins = 16;
  const char* const begin = reinterpret_cast<const char*>(of.of);
  switch (static_cast<WorkType>(of.type)) {
    case WorkType::kernel:
      *asked = kernel_asked(*reinterpret_cast<const CUDA_KERNEL_NODE_PARAMS*>(begin));
      return CUDA_SUCCESS;
    case WorkType::copy:
      *asked = copy_asked(*reinterpret_cast<const CUDA_MEMCPY3D*>(begin + kCopyBegins));
      return CUDA_SUCCESS;
    case WorkType::fill:
      *asked = fill_asked(*reinterpret_cast<const CUDA_MEMSET_NODE_PARAMS*>(begin));
      return CUDA_SUCCESS;
    case WorkType::host:
      *asked = host_asked(*reinterpret_cast<const CUDA_HOST_NODE_PARAMS*>(begin));
      return CUDA_SUCCESS;
    case WorkType::wait:
    case WorkType::record:
      *asked = event_asked(static_cast<WorkType>(of.type), *reinterpret_cast<const CUevent*>(begin));
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUresult tell_copy(const GraphNodeState& node, CUDA_MEMCPY3D* out) {
  return tell(node, WorkType::copy, run_node_copy, reinterpret_cast<NodeCopy*>(out));
}
CUresult tell_fill(const GraphNodeState& node, CUDA_MEMSET_NODE_PARAMS* out) {
  return tell(node, WorkType::fill, run_node_fill, out);
}
CUresult tell_host(const GraphNodeState& node, CUDA_HOST_NODE_PARAMS* out) {
  HostFunction host{};
  const CUresult code =
      out == nullptr ? CUDA_ERROR_INVALID_VALUE : tell(node, WorkType::host, host_work(host).run, &host);
  if (code != CUDA_SUCCESS) return code;
  if (host.function == nullptr) return CUDA_ERROR_NOT_SUPPORTED;  // a stream's callback
  *out = {host.function, host.data};
  return CUDA_SUCCESS;
}
CUresult tell_event(const GraphNodeState& node, WorkType type, CUevent* out) {
  NodeEvent event{};
  const CUresult code = out == nullptr ? CUDA_ERROR_INVALID_VALUE : tell(node, type, run_nothing, &event);
  if (code == CUDA_SUCCESS) *out = event.event;
  return code;
}

}  // namespace nvmlab::cuda
