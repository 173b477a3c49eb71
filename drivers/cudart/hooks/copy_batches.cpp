// SPDX-License-Identifier: Apache-2.0
// Batches of copies: one after the other in their stream. Of their attributes when a source may be read counts; the
// rest are hints. Tests: tests/drivers/cudart/batches_test.cpp.
#include "drivers/cudart/boxes.hpp"
#include "drivers/cudart/generated/hooks.hpp"

namespace nvmlab::cudart {
namespace {

enum SourceOrder : int { kInStream = 1, kDuringTheCall = 2, kWhenever = 3 };
constexpr std::size_t kNone = ~std::size_t{0};

bool known(const cudaMemcpyAttributes& of) { return of.srcAccessOrder >= kInStream && of.srcAccessOrder <= kWhenever; }

// Attributes of copies, each from an index on; the first begins at 0, and those that follow later.
struct Attributes {
  const cudaMemcpyAttributes* of;
  const std::size_t* from;
  std::size_t count;

  bool good(std::size_t copies) const {
    if (of == nullptr || from == nullptr || count == 0 || count > copies || from[0] != 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!known(of[i]) || from[i] >= copies || (i > 0 && from[i] <= from[i - 1])) return false;
    }
    return true;
  }
  bool read_at_once() const {
    for (std::size_t i = 0; i < count; ++i) {
      if (of[i].srcAccessOrder == kDuringTheCall) return true;
    }
    return false;
  }
};

struct Batch {
  void* const* to;
  const void* const* from;
  const std::size_t* bytes;
  std::size_t count;
};

cudaError_t copy_batch(const Batch& batch, const Attributes& attributes, cudaStream_t stream, std::size_t* failed) {
  *failed = kNone;
  if (batch.to == nullptr || batch.from == nullptr || batch.bytes == nullptr || batch.count == 0 ||
      !attributes.good(batch.count))
    return cudaErrorInvalidValue;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const cudaError_t code = batch.bytes[i] == 0
                                 ? cudaErrorInvalidValue
                                 : hooks::cudaMemcpyAsync(batch.to[i], batch.from[i], batch.bytes[i],
                                                          static_cast<cudaMemcpyKind>(kByAddress), stream);
    if (code == cudaSuccess) continue;
    *failed = i;
    return code;
  }
  if (!attributes.read_at_once()) return cudaSuccess;
  return with_context([&](const Driver& below) { return ask(below.cuStreamSynchronize, stream); });
}

}  // namespace

namespace hooks {

cudaError_t cudaMemcpyBatchAsync(void** dsts, void** srcs, size_t* sizes, size_t count, cudaMemcpyAttributes* attrs,
                                 size_t* attrsIdxs, size_t numAttrs, size_t* failIdx, cudaStream_t stream) {
  std::size_t failed = kNone;
  const cudaError_t code = copy_batch({dsts, srcs, sizes, count}, {attrs, attrsIdxs, numAttrs}, stream, &failed);
  if (code != cudaSuccess && failIdx != nullptr) *failIdx = failed;
  return code;
}
cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs, const size_t* sizes, size_t count,
                                 cudaMemcpyAttributes* attrs, size_t* attrsIdxs, size_t numAttrs, cudaStream_t stream) {
  std::size_t failed = kNone;
  return copy_batch({dsts, srcs, sizes, count}, {attrs, attrsIdxs, numAttrs}, stream, &failed);
}
cudaError_t cudaMemcpyWithAttributesAsync(void* dst, const void* src, size_t size, cudaMemcpyAttributes* attr,
                                          cudaStream_t stream) {
  std::size_t from = 0;
  std::size_t failed = kNone;
  return copy_batch({&dst, &src, &size, 1}, {attr, &from, 1}, stream, &failed);
}

}  // namespace hooks
}  // namespace nvmlab::cudart
