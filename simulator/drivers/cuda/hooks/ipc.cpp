// SPDX-License-Identifier: Apache-2.0
// Device memory and events of another process, by a handle that a program carries there. Tests:
// tests/drivers/cuda/ipc_test.cpp, ipc_events_test.cpp.
#include <cstring>

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/process/shared_memory.hpp"
#include "drivers/cuda/streams/shared_events.hpp"
#include "drivers/cuda/streams/stream_objects.hpp"
#include "drivers/cuda/streams/work_threads.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

template <class Handle>
CUresult give_ticket(int file, Handle* out) {
  SharedTicket ticket{};
  static_assert(sizeof ticket <= sizeof *out);
  if (!make_ticket(file, &ticket)) return CUDA_ERROR_OPERATING_SYSTEM;
  *out = {};
  std::memcpy(out, &ticket, sizeof ticket);
  return CUDA_SUCCESS;
}

// The descriptor that a handle of another process stands for.
template <class Handle>
CUresult open_ticket(const Handle& handle, SharedKind kind, int* file) {
  SharedTicket ticket{};
  std::memcpy(&ticket, &handle, sizeof ticket);
  if (ticket.process == sys::process_id()) return CUDA_ERROR_INVALID_CONTEXT;
  *file = open_shared(ticket, kind);
  return *file < 0 ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuIpcGetMemHandle(CUipcMemHandle* pHandle, CUdeviceptr dptr) {
  if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return while_idle_in_context([&] {
    const Allocation* shared = nullptr;
    const CUresult code = share_allocation(dptr, &shared);
    return code == CUDA_SUCCESS ? give_ticket(shared->file, pHandle) : code;
  });
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  constexpr unsigned kPeerAccess = 1;  // where it is needed; the one flag
  if (pdptr == nullptr || Flags != kPeerAccess) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  int file = -1;
  if (const CUresult code = open_ticket(handle, SharedKind::memory, &file); code != CUDA_SUCCESS) return code;
  std::uint64_t address = 0;
  const CUresult code = open_allocation(guard.handle(), file, &address);
  if (code == CUDA_SUCCESS) {
    *pdptr = address;
  } else {
    close_shared(file);
  }
  return code;
}
CUresult cuIpcOpenMemHandle(CUdeviceptr* pdptr, CUipcMemHandle handle, unsigned int Flags) {
  return cuIpcOpenMemHandle_v2(pdptr, handle, Flags);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr dptr) {
  return while_idle_in_context([&] { return close_allocation(dptr); });
}

CUresult cuIpcGetEventHandle(CUipcEventHandle* pHandle, CUevent event) {
  if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const EventState* const found = events.find(reinterpret_cast<std::uint64_t>(event));
  if (found == nullptr || (found->flags & kInterprocess) == 0) return CUDA_ERROR_INVALID_HANDLE;
  return give_ticket(file_of_shared_event(found->shared), pHandle);
}

CUresult cuIpcOpenEventHandle(CUevent* phEvent, CUipcEventHandle handle) {
  if (phEvent == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  int file = -1;
  CUresult code = open_ticket(handle, SharedKind::event, &file);
  if (code != CUDA_SUCCESS) return code;
  EventState made{};
  made.context = guard.handle();
  made.flags = kWithoutTime;
  code = open_shared_event(file, &made.shared);
  std::uint64_t number = 0;
  EventState* const event = code == CUDA_SUCCESS ? events.create(&number) : nullptr;
  if (event != nullptr) {
    *event = made;
    *phEvent = reinterpret_cast<CUevent>(number);
  } else if (code == CUDA_SUCCESS) {
    release_shared_event(made.shared);
    code = CUDA_ERROR_OUT_OF_MEMORY;
  }
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::cuda
