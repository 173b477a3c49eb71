// SPDX-License-Identifier: Apache-2.0
//
// Event sets belong to the process. Waiting sleeps on the machine's count of happenings, so a waiter costs nothing and
// wakes with every process; nvidia-smi uses it as the pause between two rounds.
#include "drivers/nvml/hooks/fetch.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {
namespace {

constexpr std::uint32_t kMaxSets = 256;

struct EventSet {
  std::uint64_t handle;  // 0: free
  std::uint32_t generation;
};

EventSet sets[kMaxSets];  // under process.lock

EventSet* find_set(nvmlEventSet_t set) {
  const auto handle = reinterpret_cast<std::uint64_t>(set);
  const std::uint32_t index = handle_index(handle);
  if (handle == 0 || index >= kMaxSets) return nullptr;
  return __atomic_load_n(&sets[index].handle, __ATOMIC_ACQUIRE) == handle ? &sets[index] : nullptr;
}

// What boards of an architecture can report.
constexpr std::uint64_t kEverywhere = EventTypeXidCriticalError | EventTypeClock | EventTypePState;
constexpr std::uint64_t kWithEcc = EventTypeSingleBitEccError | EventTypeDoubleBitEccError;

std::uint64_t supported_events(const Device& gpu) {
  const Fact<std::uint32_t> ecc = read_field(gpu.slot, &Gpu::ecc, &Ecc::mode);
  return kEverywhere | (ecc.known() ? kWithEcc : 0);
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlEventSetCreate(Store&, nvmlEventSet_t* set) {
  process.lock.lock();
  nvmlReturn_t code = NVML_ERROR_INSUFFICIENT_RESOURCES;
  for (std::uint32_t i = 0; i < kMaxSets; ++i) {
    if (sets[i].handle != 0) continue;
    const std::uint64_t handle = make_handle(HandleKind::event_set, ++sets[i].generation, i);
    __atomic_store_n(&sets[i].handle, handle, __ATOMIC_RELEASE);
    *set = reinterpret_cast<nvmlEventSet_t>(handle);
    code = NVML_SUCCESS;
    break;
  }
  process.lock.unlock();
  return code;
}

nvmlReturn_t nvmlEventSetFree(Store&, nvmlEventSet_t set) {
  process.lock.lock();
  EventSet* found = find_set(set);
  if (found != nullptr) __atomic_store_n(&found->handle, std::uint64_t{0}, __ATOMIC_RELEASE);
  process.lock.unlock();
  return found != nullptr ? NVML_SUCCESS : NVML_ERROR_INVALID_ARGUMENT;
}

nvmlReturn_t nvmlEventSetWait_v2(Store& node, nvmlEventSet_t set, nvmlEventData_t*, unsigned int timeoutms) {
  if (find_set(set) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const bool shared = process.file.fd >= 0;
  const std::uint64_t end = sys::monotonic_ns() + std::uint64_t{timeoutms} * 1'000'000;
  for (;;) {
    const std::uint32_t happened = __atomic_load_n(&node.header.events, __ATOMIC_ACQUIRE);
    const std::uint64_t now = sys::monotonic_ns();
    if (now >= end) return NVML_ERROR_TIMEOUT;
    sys::wait_on(&node.header.events, happened, end - now, shared);
  }
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(const Device& gpu, unsigned long long* eventTypes) {
  *eventTypes = supported_events(gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(const Device& gpu, unsigned long long eventTypes, nvmlEventSet_t set) {
  if (find_set(set) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return (eventTypes & ~supported_events(gpu)) == 0 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

}  // namespace hooks
}  // namespace nvmlab::driver
