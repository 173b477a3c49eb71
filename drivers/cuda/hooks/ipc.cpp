// SPDX-License-Identifier: Apache-2.0
// Device memory of another process, by a handle that a program carries there. The handle says which descriptor of
// which process it is, so the two must be of one user and see each other's /proc. Tests:
// tests/drivers/cuda/ipc_test.cpp.
#include <cstring>

#include "drivers/cuda/allocations.hpp"
#include "drivers/cuda/generated/hooks.hpp"
#include "drivers/cuda/shared_memory.hpp"
#include "drivers/cuda/work_threads.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::cuda {
namespace {

struct MemoryTicket {
  std::uint32_t process;
  std::uint32_t file;
  std::uint64_t inode;
  std::uint64_t device;
};
static_assert(sizeof(MemoryTicket) <= sizeof(CUipcMemHandle));

}  // namespace

namespace hooks {

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return while_idle([&] {
    return with_current_locked([&](CUcontext, const Context&) {
      const Allocation* shared = nullptr;
      if (const CUresult code = share_allocation(dptr, &shared); code != CUDA_SUCCESS) return code;
      sys::FileFacts facts;
      if (sys::inspect(shared->file, &facts) < 0) return CUDA_ERROR_OPERATING_SYSTEM;
      const MemoryTicket ticket{sys::process_id(), static_cast<std::uint32_t>(shared->file), facts.inode, facts.device};
      *pHandle = {};
      std::memcpy(pHandle, &ticket, sizeof ticket);
      return CUDA_SUCCESS;
    });
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  constexpr unsigned kPeerAccess = 1;  // where it is needed; the one flag
  if (pdptr == nullptr || Flags != kPeerAccess) return CUDA_ERROR_INVALID_VALUE;
  MemoryTicket ticket{};
  std::memcpy(&ticket, &handle, sizeof ticket);
  return with_current([&](CUcontext context, const Context&) {
    if (ticket.process == sys::process_id()) return CUDA_ERROR_INVALID_CONTEXT;
    const int file = open_shared(ticket.process, ticket.file, ticket.inode, ticket.device);
    if (file < 0) return CUDA_ERROR_INVALID_HANDLE;
    std::uint64_t address = 0;
    const CUresult code = open_allocation(context, file, &address);
    if (code == CUDA_SUCCESS) {
      *pdptr = address;
    } else {
      close_shared(file);
    }
    return code;
  });
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return while_idle(
      [&] { return with_current_locked([&](CUcontext, const Context&) { return close_allocation(dptr); }); });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
