// SPDX-License-Identifier: Apache-2.0
// Managed memory that a stream is asked to move, to give up, or to keep to itself. There is one memory for host and
// GPU, so what a prefetch leaves is where it went; what is discarded goes back to the system. Tests:
// tests/drivers/cuda/managed_test.cpp.
#include <sys/syscall.h>

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/hooks/stream_guard.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/managed_places.hpp"
#include "engine/store/system_call.hpp"

namespace nvmlab::cuda {
namespace {

struct ManagedRange {
  std::uint64_t address;
  std::uint64_t size;
};

// One of several in a call; the arrays are the caller's.
struct ManagedBatch {
  const CUdeviceptr* addresses;
  const std::size_t* sizes;
  std::size_t count;
  const CUmemLocation* places;  // null: nothing is prefetched
  const std::size_t* first_of_place;
  std::size_t place_count;
};

CUresult run_nothing(void*, CUresult) { return CUDA_SUCCESS; }

// Whole pages, which are zero when they are touched again.
CUresult run_discard(void* payload, CUresult) {
  constexpr std::uint64_t kPage = 4096;
  constexpr int kDontNeed = 4;
  const ManagedRange asked = *static_cast<const ManagedRange*>(payload);
  {
    const Locked lock;
    if (!on_device(asked.address, asked.size)) return CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  const std::uint64_t begin = (asked.address + kPage - 1) / kPage * kPage;
  const std::uint64_t end = (asked.address + asked.size) / kPage * kPage;
  if (begin < end) sys::call(SYS_madvise, begin, end - begin, kDontNeed);
  return CUDA_SUCCESS;
}

CUresult check_stream(const StreamGuard& guard) {
  if (guard.is_captured()) return refuse_captured(guard.queue(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  return shares_managed_memory(guard.context().device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult note_prefetch(const ManagedRange& range, const HintPlace& to) {
  return change_hints(range.address, range.address + range.size, [&to](Hints& hints) { hints.prefetched = to; });
}

CUresult queue_prefetch(const ManagedRange& range, const CUmemLocation& location, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  HintPlace to{};
  CUresult code = check_managed(range.address, range.size);
  if (code == CUDA_SUCCESS) code = find_place(location, &to);
  if (code == CUDA_SUCCESS) code = check_stream(guard);
  if (code == CUDA_SUCCESS) code = note_prefetch(range, to);
  if (code != CUDA_SUCCESS) return code;
  return submit(guard.queue(), {run_nothing, nullptr, false, WorkType::empty}, range, mark);
}

CUresult prefetch(const ManagedRange& range, const CUmemLocation& location, CUstream stream) {
  WorkMark mark{};
  const CUresult code = queue_prefetch(range, location, stream, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

// The place of each operation begins at the first that it is for, and holds until the next one begins.
bool places_are_in_order(const ManagedBatch& batch) {
  if (batch.places == nullptr || batch.first_of_place == nullptr || batch.place_count == 0 ||
      batch.place_count > batch.count || batch.first_of_place[0] != 0)
    return false;
  for (std::size_t i = 1; i < batch.place_count; ++i) {
    if (batch.first_of_place[i] <= batch.first_of_place[i - 1]) return false;
  }
  return batch.first_of_place[batch.place_count - 1] < batch.count;
}

// Calls each(range, place) with every operation of the batch, until one is refused.
template <class Each>
CUresult for_operations(const ManagedBatch& batch, const Each& each) {
  std::size_t place = 0;
  HintPlace to{};
  for (std::size_t i = 0; i < batch.count; ++i) {
    if (batch.places != nullptr) {
      if (place + 1 < batch.place_count && batch.first_of_place[place + 1] == i) ++place;
      if (const CUresult code = find_place(batch.places[place], &to); code != CUDA_SUCCESS) return code;
    }
    if (const CUresult code = each(ManagedRange{batch.addresses[i], batch.sizes[i]}, to); code != CUDA_SUCCESS)
      return code;
  }
  return CUDA_SUCCESS;
}

enum class Discard : bool { no, yes };

CUresult queue_batch(const ManagedBatch& batch, Discard discard, CUstream handle, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (guard.stream().id == kLegacyStream) return CUDA_ERROR_INVALID_VALUE;
  CUresult code = for_operations(
      batch, [](const ManagedRange& range, const HintPlace&) { return check_managed(range.address, range.size); });
  if (code == CUDA_SUCCESS) code = check_stream(guard);
  if (code != CUDA_SUCCESS) return code;
  const auto run = discard == Discard::yes ? run_discard : run_nothing;
  return for_operations(batch, [&](const ManagedRange& range, const HintPlace& to) {
    const CUresult noted = batch.places == nullptr ? CUDA_SUCCESS : note_prefetch(range, to);
    return noted == CUDA_SUCCESS ? submit(guard.queue(), {run, nullptr, false, WorkType::empty}, range, mark) : noted;
  });
}

CUresult do_batch(const ManagedBatch& batch, Discard discard, unsigned long long flags, CUstream stream) {
  if (batch.addresses == nullptr || batch.sizes == nullptr || batch.count == 0 || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  const CUresult code = queue_batch(batch, discard, stream, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

// Flags of cuStreamAttachMemAsync.
constexpr unsigned kGlobal = 1;
constexpr unsigned kHost = 2;
constexpr unsigned kSingle = 4;

// A size of 0 means all of the allocation.
CUresult queue_attachment(CUstream handle, const ManagedRange& range, bool single, WorkMark* mark) {
  const StreamGuard guard(handle);
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  if (guard.is_captured()) return refuse_captured(guard.queue(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  if (single && guard.stream().id == kLegacyStream) return CUDA_ERROR_INVALID_VALUE;
  const Allocation* const found = find_allocation(range.address);
  if (found == nullptr || found->kind != MemoryKind::managed || found->leaving) return CUDA_ERROR_INVALID_VALUE;
  if (found->address != range.address || (range.size != 0 && range.size != found->size))
    return CUDA_ERROR_INVALID_VALUE;
  return submit(guard.queue(), {run_nothing, nullptr, false, WorkType::empty}, ManagedRange{range.address, found->size},
                mark);
}

}  // namespace

namespace hooks {

CUresult cuMemPrefetchAsync(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  return prefetch({devPtr, count}, location_of(dstDevice), hStream);
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                               CUstream hStream) {
  return flags != 0 ? CUDA_ERROR_INVALID_VALUE : prefetch({devPtr, count}, location, hStream);
}

CUresult cuMemPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, CUmemLocation* prefetchLocs,
                                 size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                 CUstream hStream) {
  const ManagedBatch batch{dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs};
  return places_are_in_order(batch) ? do_batch(batch, Discard::no, flags, hStream) : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemDiscardBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, unsigned long long flags,
                                CUstream hStream) {
  return do_batch({dptrs, sizes, count, nullptr, nullptr, 0}, Discard::yes, flags, hStream);
}
CUresult cuMemDiscardAndPrefetchBatchAsync(CUdeviceptr* dptrs, size_t* sizes, size_t count, CUmemLocation* prefetchLocs,
                                           size_t* prefetchLocIdxs, size_t numPrefetchLocs, unsigned long long flags,
                                           CUstream hStream) {
  const ManagedBatch batch{dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs};
  return places_are_in_order(batch) ? do_batch(batch, Discard::yes, flags, hStream) : CUDA_ERROR_INVALID_VALUE;
}

// Every stream reaches all memory here, so what is attached is checked and has its turn.
CUresult cuStreamAttachMemAsync(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
  if (flags != kGlobal && flags != kHost && flags != kSingle) return CUDA_ERROR_INVALID_VALUE;
  WorkMark mark{};
  const CUresult code = queue_attachment(hStream, {dptr, length}, flags == kSingle, &mark);
  return code == CUDA_SUCCESS ? leave(mark, Leave::at_once) : code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
