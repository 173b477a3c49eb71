// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/stream_words.hpp"

#include <cstring>

#include "drivers/cuda/memory/allocations.hpp"

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

bool waits(const CUstreamBatchMemOpParams& asked) { return asked.operation == kWait32 || asked.operation == kWait64; }
bool writes(const CUstreamBatchMemOpParams& asked) {
  return asked.operation == kWrite32 || asked.operation == kWrite64;
}

Word word_of(const CUstreamBatchMemOpParams& asked) {
  const bool small = asked.operation == kWait32 || asked.operation == kWrite32;
  return {asked.word.address, small ? asked.word.value & 0xFFFFFFFF : asked.word.value, small ? 4U : 8U,
          waits(asked) ? asked.word.flags & ~kFlush : 0};
}

CUresult check_operation(const CUstreamBatchMemOpParams& asked) {
  constexpr unsigned kLastComparison = 3;
  if (asked.operation == kFlushWrites || asked.operation == kBarrier) return CUDA_SUCCESS;
  if (!waits(asked) && !writes(asked)) return CUDA_ERROR_INVALID_VALUE;
  const unsigned flags = asked.word.flags;
  const bool known = waits(asked) ? (flags & ~kFlush) <= kLastComparison : (flags & ~kNoBarrier) == 0;
  return known && good(word_of(asked)) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// A launch puts the operations into the queue.
CUresult run_nothing(void*, CUresult) { return CUDA_SUCCESS; }

}  // namespace

CUresult check_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked) {
  if (asked.paramArray == nullptr || asked.count == 0 || asked.count > kMostOperations || asked.flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < asked.count; ++i) {
    if (const CUresult code = check_operation(asked.paramArray[i]); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult make_operations(const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked, WorkItem** out) {
  const std::uint64_t bytes = asked.count * sizeof *asked.paramArray;
  const CUresult code =
      make_sized_item({run_nothing, nullptr, false, WorkType::words}, sizeof(NodeOperations) + bytes, out);
  if (code != CUDA_SUCCESS) return code;
  auto* const to = static_cast<NodeOperations*>(payload_of(**out));
  *to = {asked.ctx, asked.count, asked.flags};
  std::memcpy(to + 1, asked.paramArray, bytes);
  return CUDA_SUCCESS;
}

CUresult make_operation(const CUstreamBatchMemOpParams& asked, WorkItem** out) {
  if (waits(asked)) return make_item({end_wait, is_met, false, WorkType::words}, word_of(asked), out);
  if (writes(asked)) return make_item({write, nullptr, false, WorkType::words}, word_of(asked), out);
  *out = nullptr;  // there is nothing to flush, and nothing that a barrier would order
  return CUDA_SUCCESS;
}

bool may_replace(const WorkItem& node, const CUDA_BATCH_MEM_OP_NODE_PARAMS& asked) {
  const auto& of = *static_cast<const NodeOperations*>(payload_of(node));
  if (asked.count != of.count || asked.ctx != of.context || asked.flags != of.flags) return false;
  for (std::uint32_t i = 0; i < of.count; ++i) {
    const CUstreamBatchMemOpParams& now = operations_in(node)[i];
    const CUstreamBatchMemOpParams& then = asked.paramArray[i];
    const unsigned fixed = waits(now) ? kFlush : ~0U;
    if (then.operation != now.operation || ((then.word.flags ^ now.word.flags) & fixed) != 0) return false;
  }
  return true;
}

CUDA_BATCH_MEM_OP_NODE_PARAMS told_operations(WorkItem& node) {
  auto* const of = static_cast<NodeOperations*>(payload_of(node));
  return {of->context, of->count, reinterpret_cast<CUstreamBatchMemOpParams*>(of + 1), of->flags};
}

}  // namespace nvmlab::cuda
