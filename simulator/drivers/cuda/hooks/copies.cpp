// SPDX-License-Identifier: Apache-2.0
//
// Copies and fills. Both ends are host memory; what is said to lie on a device must lie within one allocation there.
// A wild address of the host ends the process, as it does with the real driver. Copies run without the lock of the
// process, so streams copy side by side. Tests: tests/drivers/cuda/memory_test.cpp.
#include <cstring>
#include <initializer_list>

#include "drivers/cuda/graphs/node_work.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {
namespace {

struct Range {
  std::uint64_t address;
  int type;  // of an end of a copy
};

struct Copy {
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t size;
  bool to_known;  // memory that was allocated here
  bool from_known;
};

struct Fill {
  std::uint64_t to;
  std::uint64_t count;
  std::uint32_t value;
  std::uint32_t bytes;  // of the value
};

enum class When : std::uint8_t { now, in_stream };

bool good(const Range& range, std::uint64_t size) {
  // Memory of the host that was allocated here is told by its address, too: it ends where it ends.
  const bool known = find_allocation(range.address) != nullptr;
  return !(range.type == kDeviceEnd || known) || on_device(range.address, size);
}

// Another thread may have freed it since it was asked for; while the copy runs nothing is freed.
bool still_there(const Copy& asked) {
  const Locked lock;
  return (!asked.to_known || on_device(asked.to, asked.size)) &&
         (!asked.from_known || on_device(asked.from, asked.size));
}

CUresult run_copy(void* payload, CUresult) {
  const Copy asked = *static_cast<const Copy*>(payload);
  if (!still_there(asked)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  std::memmove(reinterpret_cast<void*>(asked.to), reinterpret_cast<const void*>(asked.from), asked.size);
  return CUDA_SUCCESS;
}

template <class T>
void fill_with(const Fill& asked) {
  T* const begin = reinterpret_cast<T*>(asked.to);
  for (std::uint64_t i = 0; i < asked.count; ++i)
    begin[i] = static_cast<T>(asked.value);
}

CUresult run_fill(void* payload, CUresult) {
  const Fill& asked = *static_cast<const Fill*>(payload);
  if (!still_there({asked.to, 0, asked.count * asked.bytes, true, false})) return CUDA_ERROR_ILLEGAL_ADDRESS;
  switch (asked.bytes) {
    case 1:
      fill_with<std::uint8_t>(asked);
      break;
    case 2:
      fill_with<std::uint16_t>(asked);
      break;
    default:
      fill_with<std::uint32_t>(asked);
      break;
  }
  return CUDA_SUCCESS;
}

// How a copy is left: memory of the host that CUDA does not know may be gone when the call has returned.
Leave leave_for(When when, std::uint64_t size, bool known) {
  constexpr std::uint64_t kSmall = 64 << 10;
  if (when == When::now || !known) return Leave::done;
  return size <= kSmall ? Leave::at_once : Leave::to_threads;
}

// As the node that a program would add: its parameters can be told.
CUresult capture_copy(const Range& to, const Range& from, std::uint64_t size, WorkQueue& queue, WorkMark* mark) {
  WorkItem* item = nullptr;
  const CUresult code = make_copy(line_copy(to.type, to.address, from.type, from.address, size), &item);
  return code == CUDA_SUCCESS ? submit(queue, item, mark) : code;
}

// `known` is whether both ends are memory that was allocated here.
CUresult queue_copy(const Range& to, const Range& from, std::uint64_t size, CUstream handle, WorkMark* mark,
                    bool* known) {
  const StreamGuard guard(handle, StreamOf::any_context);
  if (guard.code() != CUDA_SUCCESS || size == 0) return guard.code();
  if (!good(to, size) || !good(from, size) || to.address == 0 || from.address == 0) return CUDA_ERROR_INVALID_VALUE;
  if (guard.is_captured()) return capture_copy(to, from, size, guard.queue(), mark);
  const Copy asked{to.address, from.address, size, find_allocation(to.address) != nullptr,
                   find_allocation(from.address) != nullptr};
  *known = asked.to_known && asked.from_known;
  return submit(guard.queue(), {run_copy, nullptr, false, WorkType::copy}, asked, mark);
}

CUresult copy(const Range& to, const Range& from, std::uint64_t size, CUstream stream, When when) {
  WorkMark mark{};
  bool known = false;
  const CUresult code = queue_copy(to, from, size, stream, &mark, &known);
  return code == CUDA_SUCCESS && size != 0 ? leave(mark, leave_for(when, size, known)) : code;
}

Range device(CUdeviceptr address) { return {address, kDeviceEnd}; }
Range any(CUdeviceptr address) { return {address, kUnifiedEnd}; }
Range host(const void* address) { return {reinterpret_cast<std::uint64_t>(address), kHostEnd}; }

CUresult queue_fill(const Fill& asked, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS || asked.count == 0) return guard.code();
  if (!on_device(asked.to, asked.count * asked.bytes)) return CUDA_ERROR_INVALID_VALUE;
  if (!guard.is_captured()) return submit(guard.queue(), {run_fill, nullptr, false, WorkType::fill}, asked, mark);
  WorkItem* item = nullptr;
  const CUresult code = make_fill({asked.to, 0, asked.value, asked.bytes, asked.count, 1}, &item);
  return code == CUDA_SUCCESS ? submit(guard.queue(), item, mark) : code;
}

template <class T>
CUresult fill(CUdeviceptr to, T value, std::uint64_t count, CUstream stream) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (to % sizeof(T) != 0 || count > kMost) return CUDA_ERROR_INVALID_VALUE;
  const std::uint64_t size = count * sizeof(T);
  WorkMark mark{};
  const CUresult code = queue_fill({to, count, value, sizeof(T)}, stream, &mark);
  return code == CUDA_SUCCESS && count != 0 ? leave(mark, leave_for(When::in_stream, size, true)) : code;
}

CUresult copy_peer(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, std::uint64_t size,
                   CUstream stream, When when) {
  for (const CUcontext each : {to_context, from_context}) {
    const Locked lock;
    if (find_context(each) == nullptr) return no_context(each);
  }
  return copy(device(to), device(from), size, stream, when);
}

}  // namespace

namespace hooks {

CUresult cuMemcpy(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return copy(any(dst), any(src), ByteCount, nullptr, When::now);
}
CUresult cuMemcpyAsync(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return copy(any(dst), any(src), ByteCount, hStream, When::in_stream);
}
CUresult cuMemcpyHtoD_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount) {
  return copy(device(dstDevice), host(srcHost), ByteCount, nullptr, When::now);
}
CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr dstDevice, const void* srcHost, size_t ByteCount, CUstream hStream) {
  return copy(device(dstDevice), host(srcHost), ByteCount, hStream, When::in_stream);
}
CUresult cuMemcpyDtoH_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(host(dstHost), device(srcDevice), ByteCount, nullptr, When::now);
}
CUresult cuMemcpyDtoHAsync_v2(void* dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(host(dstHost), device(srcDevice), ByteCount, hStream, When::in_stream);
}
CUresult cuMemcpyDtoD_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return copy(device(dstDevice), device(srcDevice), ByteCount, nullptr, When::now);
}
CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return copy(device(dstDevice), device(srcDevice), ByteCount, hStream, When::in_stream);
}

CUresult cuMemcpyPeerAsync(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount, CUstream hStream) {
  return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream, When::in_stream);
}
CUresult cuMemcpyPeer(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                      size_t ByteCount) {
  return copy_peer(dstDevice, dstContext, srcDevice, srcContext, ByteCount, nullptr, When::now);
}

CUresult cuMemsetD8_v2(CUdeviceptr dstDevice, unsigned char uc, size_t N) { return fill(dstDevice, uc, N, nullptr); }
CUresult cuMemsetD8Async(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return fill(dstDevice, uc, N, hStream);
}
CUresult cuMemsetD16_v2(CUdeviceptr dstDevice, unsigned short us, size_t N) { return fill(dstDevice, us, N, nullptr); }
CUresult cuMemsetD16Async(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return fill(dstDevice, us, N, hStream);
}
CUresult cuMemsetD32_v2(CUdeviceptr dstDevice, unsigned int ui, size_t N) { return fill(dstDevice, ui, N, nullptr); }
CUresult cuMemsetD32Async(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return fill(dstDevice, ui, N, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
