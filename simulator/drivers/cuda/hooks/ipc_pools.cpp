// SPDX-License-Identifier: Apache-2.0
// Memory pools of one process in another: the pool by a descriptor, each allocation by 64 bytes that say where it lies
// there. Tests: tests/drivers/cuda/ipc_pools_test.cpp.
#include <cstring>

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/memory_pools.hpp"
#include "drivers/cuda/process/shared_memory.hpp"

namespace nvmlab::cuda {
namespace {

constexpr int kFileDescriptor = 1;

}  // namespace

namespace hooks {

CUresult cuMemPoolExportToShareableHandle(void* handle_out, CUmemoryPool pool, CUmemAllocationHandleType handleType,
                                          unsigned long long flags) {
  if (handle_out == nullptr || flags != 0 || handleType != kFileDescriptor) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const PoolState* const found = find_pool(pool);
  if (found == nullptr || (found->handle_types & kFileDescriptor) == 0) return CUDA_ERROR_INVALID_VALUE;
  const int file = duplicate_shared(found->file);
  if (file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int*>(handle_out) = file;
  return CUDA_SUCCESS;
}

// The descriptor itself stands in the place of a pointer.
CUresult cuMemPoolImportFromShareableHandle(CUmemoryPool* pool_out, void* handle, CUmemAllocationHandleType handleType,
                                            unsigned long long flags) {
  const auto number = reinterpret_cast<std::uint64_t>(handle);
  if (pool_out == nullptr || flags != 0 || handleType != kFileDescriptor || number > 0x7FFFFFFF)
    return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  return import_pool(static_cast<int>(number), pool_out);
}

CUresult cuMemPoolExportPointer(CUmemPoolPtrExportData* shareData_out, CUdeviceptr ptr) {
  if (shareData_out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const Allocation* const found = find_allocation(ptr);
  PooledTicket ticket{};
  if (found == nullptr || found->address != ptr || found->leaving ||
      !make_pooled_ticket(found->pool, found->offset, found->size, &ticket))
    return CUDA_ERROR_INVALID_VALUE;
  *shareData_out = {};
  static_assert(sizeof ticket <= sizeof *shareData_out);
  std::memcpy(shareData_out, &ticket, sizeof ticket);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolImportPointer(CUdeviceptr* ptr_out, CUmemoryPool pool, CUmemPoolPtrExportData* shareData) {
  if (ptr_out == nullptr || shareData == nullptr) return CUDA_ERROR_INVALID_VALUE;
  PooledTicket ticket{};
  std::memcpy(&ticket, shareData, sizeof ticket);
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const PoolState* const found = find_pool(pool);
  if (found == nullptr || !is_of_pool(*found, ticket)) return CUDA_ERROR_INVALID_VALUE;
  std::uint64_t address = 0;
  const CUresult code = open_pooled(guard.handle(), pool, ticket.offset, ticket.size, &address);
  if (code == CUDA_SUCCESS) *ptr_out = address;
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
