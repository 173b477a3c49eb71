// SPDX-License-Identifier: Apache-2.0
// Copies that come with attributes, alone or several in a call. All of a batch are checked before the first is done.
// Tests: tests/drivers/cuda/batches_test.cpp.
#include <initializer_list>

#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/arrays.hpp"
#include "drivers/cuda/memory/copy_boxes.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::size_t kNoneOfThem = ~std::size_t{0};
enum class LegacyStream : bool { refused, taken };

bool are_good(int order, unsigned flags) {
  constexpr int kInStream = 1;
  constexpr int kAnyOrder = 3;
  constexpr unsigned kPreferOverlap = 1;  // with kernels, which there is no need for here
  return order >= kInStream && order <= kAnyOrder && (flags & ~kPreferOverlap) == 0;
}

struct QueuedCopies {
  WorkMark mark;
  bool known;  // all ends are memory that was allocated here; else it may be gone when the call has returned
};

// Checks all copies before it queues the first. box(i, &copy) describes copy i; `failed` is the first bad one.
template <class Box>
CUresult queue_all(std::size_t count, const Box& box, LegacyStream legacy, std::size_t* failed, CUstream handle,
                   QueuedCopies* queued) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (legacy == LegacyStream::refused && guard.stream().id == kLegacyStream) return CUDA_ERROR_INVALID_VALUE;
  for (const bool now : {false, true}) {
    for (std::size_t i = 0; i < count; ++i) {
      BoxCopy asked{};
      PlacedCopy placed{};
      WorkItem* item = nullptr;
      CUresult code = box(i, &asked);
      if (code == CUDA_SUCCESS) code = place_copy(asked, &placed);
      if (code == CUDA_SUCCESS && now) code = make_copy(placed, &item);
      if (code == CUDA_SUCCESS && now) code = submit(guard.queue(), item, &queued->mark);
      if (code != CUDA_SUCCESS) {
        *failed = i;
        return code;
      }
      queued->known = queued->known && placed.from.known && placed.to.known;
    }
  }
  return CUDA_SUCCESS;
}

template <class Box>
CUresult copy_all(std::size_t count, const Box& box, LegacyStream legacy, std::size_t* failed, CUstream stream) {
  QueuedCopies queued{{}, true};
  *failed = kNoneOfThem;
  const CUresult code = queue_all(count, box, legacy, failed, stream, &queued);
  return code == CUDA_SUCCESS ? leave(queued.mark, queued.known ? Leave::to_threads : Leave::done) : code;
}

// Attributes hold from the copy that they begin at until the next ones begin.
bool attributes_are_good(const CUmemcpyAttributes* attributes, const std::size_t* first_of, std::size_t attribute_count,
                         std::size_t count) {
  if (attributes == nullptr || first_of == nullptr || attribute_count == 0 || attribute_count > count ||
      first_of[0] != 0)
    return false;
  for (std::size_t i = 0; i < attribute_count; ++i) {
    if (!are_good(attributes[i].srcAccessOrder, attributes[i].flags)) return false;
    if (i > 0 && first_of[i] <= first_of[i - 1]) return false;
  }
  return first_of[attribute_count - 1] < count;
}

CUresult copy_lines(const CUdeviceptr* to, const CUdeviceptr* from, const std::size_t* sizes, std::size_t count,
                    LegacyStream legacy, std::size_t* failed, CUstream stream) {
  *failed = kNoneOfThem;
  if (to == nullptr || from == nullptr || sizes == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  const auto box = [=](std::size_t i, BoxCopy* out) {
    *out = line_copy(kUnifiedEnd, to[i], kUnifiedEnd, from[i], sizes[i]);
    return CUDA_SUCCESS;
  };
  return copy_all(count, box, legacy, failed, stream);
}

constexpr int kPointer = 1;
constexpr int kArrayOperand = 2;

// Bytes of an element: those of the arrays, which must agree; 1 between pointers; 0: there is no such copy.
std::uint32_t bytes_of_element(const CUDA_MEMCPY3D_BATCH_OP& of) {
  std::uint32_t bytes = 0;
  for (const CUmemcpy3DOperand* each : {&of.src, &of.dst}) {
    if (each->type == kPointer) continue;
    const ArrayState* const array = each->type == kArrayOperand ? find_array(each->op.array.array) : nullptr;
    if (array == nullptr) return 0;
    const std::uint32_t own = element_bytes(array->of.Format, array->of.NumChannels);
    if (bytes != 0 && bytes != own) return 0;
    bytes = own;
  }
  return bytes == 0 ? 1 : bytes;
}

// False where a row or layer is shorter than what is copied of it.
bool end_of(const CUmemcpy3DOperand& of, const CUDA_MEMCPY3D_BATCH_OP& op, std::uint32_t bytes, CopyEnd* end) {
  if (of.type == kArrayOperand) {
    end->type = kArrayEnd;
    end->array = of.op.array.array;
    end->y = of.op.array.y;
    end->z = of.op.array.z;
    return !__builtin_mul_overflow(of.op.array.x, bytes, &end->x);
  }
  end->type = kUnifiedEnd;
  end->device = of.op.ptr.ptr;
  end->height = of.op.ptr.layerHeight;
  return (of.op.ptr.rowLength == 0 || of.op.ptr.rowLength >= op.extent.width) &&
         (of.op.ptr.layerHeight == 0 || of.op.ptr.layerHeight >= op.extent.height) &&
         !__builtin_mul_overflow(of.op.ptr.rowLength, bytes, &end->pitch);
}

CUresult box_of(const CUDA_MEMCPY3D_BATCH_OP& op, BoxCopy* out) {
  const std::uint32_t bytes = bytes_of_element(op);
  if (bytes == 0 || !are_good(op.srcAccessOrder, op.flags)) return CUDA_ERROR_INVALID_VALUE;
  out->height = op.extent.height;
  out->depth = op.extent.depth;
  const bool good = end_of(op.src, op, bytes, &out->from) && end_of(op.dst, op, bytes, &out->to) &&
                    !__builtin_mul_overflow(op.extent.width, bytes, &out->width);
  return good ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult copy_boxes(std::size_t count, const CUDA_MEMCPY3D_BATCH_OP* ops, LegacyStream legacy, std::size_t* failed,
                    unsigned long long flags, CUstream stream) {
  *failed = kNoneOfThem;
  if (ops == nullptr || count == 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  return copy_all(
      count, [ops](std::size_t i, BoxCopy* out) { return box_of(ops[i], out); }, legacy, failed, stream);
}

}  // namespace

namespace hooks {

CUresult cuMemcpyBatchAsync(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                            CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs, size_t* failIdx,
                            CUstream hStream) {
  std::size_t failed = kNoneOfThem;
  const CUresult code = attributes_are_good(attrs, attrsIdxs, numAttrs, count)
                            ? copy_lines(dsts, srcs, sizes, count, LegacyStream::refused, &failed, hStream)
                            : CUDA_ERROR_INVALID_VALUE;
  if (code != CUDA_SUCCESS && failIdx != nullptr) *failIdx = failed;
  return code;
}
CUresult cuMemcpyBatchAsync_v2(CUdeviceptr* dsts, CUdeviceptr* srcs, size_t* sizes, size_t count,
                               CUmemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs, CUstream hStream) {
  return cuMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, nullptr, hStream);
}
CUresult cuMemcpyWithAttributesAsync(CUdeviceptr dst, CUdeviceptr src, size_t size, CUmemcpyAttributes* attr,
                                     CUstream hStream) {
  std::size_t failed = 0;
  if (attr == nullptr || !are_good(attr->srcAccessOrder, attr->flags)) return CUDA_ERROR_INVALID_VALUE;
  return copy_lines(&dst, &src, &size, 1, LegacyStream::taken, &failed, hStream);
}

CUresult cuMemcpy3DBatchAsync(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, size_t* failIdx, unsigned long long flags,
                              CUstream hStream) {
  std::size_t failed = kNoneOfThem;
  const CUresult code = copy_boxes(numOps, opList, LegacyStream::refused, &failed, flags, hStream);
  if (code != CUDA_SUCCESS && failIdx != nullptr) *failIdx = failed;
  return code;
}
CUresult cuMemcpy3DBatchAsync_v2(size_t numOps, CUDA_MEMCPY3D_BATCH_OP* opList, unsigned long long flags,
                                 CUstream hStream) {
  return cuMemcpy3DBatchAsync(numOps, opList, nullptr, flags, hStream);
}
CUresult cuMemcpy3DWithAttributesAsync(CUDA_MEMCPY3D_BATCH_OP* op, unsigned long long flags, CUstream hStream) {
  std::size_t failed = 0;
  return copy_boxes(1, op, LegacyStream::taken, &failed, flags, hStream);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
