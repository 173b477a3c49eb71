// SPDX-License-Identifier: Apache-2.0
// Words of memory that a stream waits for or writes, in its order. Whoever else writes them, a kernel or the host, is
// seen soon after. Tests: tests/drivers/cuda/concurrency_test.cpp.
#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/streams.hpp"

namespace nvmlab::cuda {
namespace {

constexpr unsigned kFlush = 1U << 30;  // writes of other devices: there are none
constexpr unsigned kNoBarrier = 1;     // of a write

struct Word {
  std::uint64_t address;
  std::uint64_t value;
  std::uint32_t bytes;
  std::uint32_t comparison;  // of a wait
};

std::uint64_t read(const Word& word) {
  return word.bytes == 4 ? __atomic_load_n(reinterpret_cast<const std::uint32_t*>(word.address), __ATOMIC_ACQUIRE)
                         : __atomic_load_n(reinterpret_cast<const std::uint64_t*>(word.address), __ATOMIC_ACQUIRE);
}

// How far the word is ahead, as a signed number of its width: it may have wrapped around.
bool not_behind(const Word& word, std::uint64_t now) {
  const std::uint64_t ahead = now - word.value;
  return word.bytes == 4 ? static_cast<std::int32_t>(ahead) >= 0 : static_cast<std::int64_t>(ahead) >= 0;
}

bool is_met(const void* payload) {
  constexpr std::uint32_t kEqual = 1;
  constexpr std::uint32_t kAnyBit = 2;
  constexpr std::uint32_t kAnyZero = 3;
  const Word& word = *static_cast<const Word*>(payload);
  if (!on_device(word.address, word.bytes)) return true;  // freed by another thread; told when it runs
  const std::uint64_t now = read(word);
  const std::uint64_t mask = word.bytes == 4 ? 0xFFFFFFFF : ~std::uint64_t{0};
  switch (word.comparison) {
    case kEqual:
      return now == (word.value & mask);
    case kAnyBit:
      return (now & word.value) != 0;
    case kAnyZero:
      return (~(now | word.value) & mask) != 0;
    default:
      return not_behind(word, now);
  }
}

CUresult end_wait(void* payload, CUresult) {
  const Word& word = *static_cast<const Word*>(payload);
  const Locked lock;
  return on_device(word.address, word.bytes) ? CUDA_SUCCESS : CUDA_ERROR_ILLEGAL_ADDRESS;
}

CUresult write(void* payload, CUresult) {
  const Word& word = *static_cast<const Word*>(payload);
  const Locked lock;
  if (!on_device(word.address, word.bytes)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  if (word.bytes == 4) {
    __atomic_store_n(reinterpret_cast<std::uint32_t*>(word.address), static_cast<std::uint32_t>(word.value),
                     __ATOMIC_RELEASE);
  } else {
    __atomic_store_n(reinterpret_cast<std::uint64_t*>(word.address), word.value, __ATOMIC_RELEASE);
  }
  return CUDA_SUCCESS;
}

bool good(const Word& word) { return word.address % word.bytes == 0 && on_device(word.address, word.bytes); }

CUresult wait_for(CUstream handle, Word word, unsigned flags) {
  constexpr unsigned kLastComparison = 3;
  word.comparison = flags & ~kFlush;
  if (word.comparison > kLastComparison) return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  const CUresult code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    return good(word) ? submit(*stream.queue, {end_wait, is_met, false, WorkType::words}, word, &mark)
                      : CUDA_ERROR_INVALID_VALUE;
  });
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

CUresult write_to(CUstream handle, const Word& word, unsigned flags) {
  if ((flags & ~kNoBarrier) != 0) return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  const CUresult code = with_stream(handle, [&](const Context&, const StreamState& stream) {
    return good(word) ? submit(*stream.queue, {write, nullptr, false, WorkType::words}, word, &mark)
                      : CUDA_ERROR_INVALID_VALUE;
  });
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

constexpr unsigned kWait32 = 1;
constexpr unsigned kWrite32 = 2;
constexpr unsigned kFlushWrites = 3;
constexpr unsigned kWait64 = 4;
constexpr unsigned kWrite64 = 5;
constexpr unsigned kBarrier = 6;

CUresult operate(CUstream stream, const CUstreamBatchMemOpParams& asked) {
  const auto& word = asked.word;
  switch (asked.operation) {
    case kWait32:
      return wait_for(stream, {word.address, word.value & 0xFFFFFFFF, 4, 0}, word.flags);
    case kWrite32:
      return write_to(stream, {word.address, word.value & 0xFFFFFFFF, 4, 0}, word.flags);
    case kWait64:
      return wait_for(stream, {word.address, word.value, 8, 0}, word.flags);
    case kWrite64:
      return write_to(stream, {word.address, word.value, 8, 0}, word.flags);
    case kFlushWrites:
    case kBarrier:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

namespace hooks {

CUresult cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return wait_for(stream, {addr, value, 4, 0}, flags);
}
CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return wait_for(stream, {addr, value, 4, 0}, flags);
}
CUresult cuStreamWaitValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return wait_for(stream, {addr, value, 8, 0}, flags);
}
CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return wait_for(stream, {addr, value, 8, 0}, flags);
}
CUresult cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return write_to(stream, {addr, value, 4, 0}, flags);
}
CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags) {
  return write_to(stream, {addr, value, 4, 0}, flags);
}
CUresult cuStreamWriteValue64_v2(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return write_to(stream, {addr, value, 8, 0}, flags);
}
CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags) {
  return write_to(stream, {addr, value, 8, 0}, flags);
}

CUresult cuStreamBatchMemOp_v2(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                               unsigned int flags) {
  constexpr unsigned kMostAtOnce = 256;
  if (paramArray == nullptr || count == 0 || count > kMostAtOnce || flags != 0) return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; ++i) {
    if (const CUresult code = operate(stream, paramArray[i]); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}
CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams* paramArray,
                            unsigned int flags) {
  return cuStreamBatchMemOp_v2(stream, count, paramArray, flags);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
