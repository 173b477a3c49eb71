// SPDX-License-Identifier: Apache-2.0
//
// Event sets belong to the process. Waiting sleeps on the machine's count of happenings, so a waiter costs nothing and
// wakes with every process; nvidia-smi uses it as the pause between two rounds. EventSetState that happens to a machine
// today is an event of NVML, so a wait ends when its time is up. Tests: tests/drivers/functions/events_test.cpp.
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/hooks/handle_table.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab::driver {
namespace {

struct EventSetState {};
HandleTable<EventSetState, 256, HandleKind::event_set> sets;
HandleTable<EventSetState, 64, HandleKind::system_event_set> system_sets;

constexpr std::uint64_t kEverywhere = EventTypeXidCriticalError | EventTypeClock | EventTypePState;
constexpr std::uint64_t kWithEcc = EventTypeSingleBitEccError | EventTypeDoubleBitEccError;
constexpr std::uint64_t kWithMig = EventMigConfigChange;
// From the 575 branch on.
constexpr std::uint32_t kFirstWithHealthEvents = 575;
constexpr std::uint64_t kWithRowRemapping = EventTypeSingleBitEccErrorStorm | EventTypeDramRetirementEvent |
                                            EventTypeDramRetirementFailure | EventTypeNonFatalPoisonError |
                                            EventTypeFatalPoisonError;
constexpr std::uint64_t kWithRecovery = EventTypeGpuUnavailableError | EventTypeGpuRecoveryAction;
constexpr std::uint64_t kOfSystem = SystemEventTypeGpuDriverBind | SystemEventTypeGpuDriverUnbind;

std::uint64_t supported_events(const Device& gpu) {
  const auto [ecc, remap_pending] = fetch(gpu, &Gpu::ecc, &Ecc::mode, &Ecc::remap_pending);
  const auto [mig, recovery_action] = fetch(gpu, &Gpu::modes, &Modes::mig, &Modes::recovery_action);
  std::uint64_t events = kEverywhere;
  if (ecc.has_value()) events |= kWithEcc;
  if (mig.has_value()) events |= kWithMig;
  if (simulated_driver().major < kFirstWithHealthEvents) return events;
  if (remap_pending.has_value()) events |= kWithRowRemapping;
  if (recovery_action.has_value()) events |= kWithRecovery;
  return events;
}

nvmlReturn_t wait(Store& node, std::uint32_t timeout_ms) {
  const bool shared = process.file.shared();
  const std::uint64_t end = sys::monotonic_ns() + std::uint64_t{timeout_ms} * 1'000'000;
  for (;;) {
    const std::uint32_t happened = __atomic_load_n(&node.header.events, __ATOMIC_ACQUIRE);
    const std::uint64_t now = sys::monotonic_ns();
    if (now >= end) return NVML_ERROR_TIMEOUT;
    sys::wait_on(&node.header.events, happened, end - now, shared);
  }
}

template <class Table, class Handle>
nvmlReturn_t make_set(Table& table, Handle* set) {
  const ProcessLock lock;
  const auto* slot = table.make();
  if (slot == nullptr) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  *set = reinterpret_cast<Handle>(slot->handle);
  return NVML_SUCCESS;
}

template <class Table, class Handle>
nvmlReturn_t free_set(Table& table, Handle set) {
  const ProcessLock lock;
  auto* slot = table.find(set);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  table.free(*slot);
  return NVML_SUCCESS;
}

// Context belongs to the last event that a set delivered.
nvmlReturn_t no_event_yet(nvmlEventSet_t set) {
  return sets.find(set) == nullptr ? NVML_ERROR_INVALID_ARGUMENT : NVML_ERROR_NOT_FOUND;
}

const GpuSlot* find_by_uuid(const Store& node, const char (&uuid)[96]) {
  if (std::memchr(uuid, '\0', sizeof uuid) == nullptr) return nullptr;
  for (const GpuSlot& slot : VisibleGpus{node}) {
    const Text<96> own = read_field(slot, &Gpu::identity, &Identity::uuid);
    if (own.has_value() && std::strcmp(own.data, uuid) == 0) return &slot;
  }
  return nullptr;
}

}  // namespace

namespace hooks {

nvmlReturn_t nvmlEventSetCreate(Store&, nvmlEventSet_t* set) { return make_set(sets, set); }

nvmlReturn_t nvmlEventSetFree(Store&, nvmlEventSet_t set) { return free_set(sets, set); }

nvmlReturn_t nvmlEventSetWait_v2(Store& node, nvmlEventSet_t set, nvmlEventData_t*, unsigned int timeoutms) {
  return sets.find(set) == nullptr ? NVML_ERROR_INVALID_ARGUMENT : wait(node, timeoutms);
}

nvmlReturn_t nvmlEventSetWait_v3(Store& node, nvmlEventSet_t set, nvmlEventSetWait_v3_t* params) {
  return sets.find(set) == nullptr ? NVML_ERROR_INVALID_ARGUMENT : wait(node, params->timeoutMs);
}

nvmlReturn_t nvmlEventSetGetContextCount_v1(Store&, nvmlEventSet_t set, nvmlEventSetGetContextCount_v1_t*) {
  return no_event_yet(set);
}

nvmlReturn_t nvmlEventSetGetContextInfo_v1(Store&, nvmlEventSet_t set, nvmlEventSetGetContextInfo_v1_t*) {
  return no_event_yet(set);
}

nvmlReturn_t nvmlEventSetGetContextData_v1(Store&, nvmlEventSet_t set, nvmlEventSetGetContextData_v1_t*) {
  return no_event_yet(set);
}

nvmlReturn_t nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1(
    Store&, nvmlEventSet_t set, nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1_t*) {
  return no_event_yet(set);
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(const Device& gpu, unsigned long long* eventTypes) {
  *eventTypes = supported_events(gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(const Device& gpu, unsigned long long eventTypes, nvmlEventSet_t set) {
  if (sets.find(set) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return (eventTypes & ~supported_events(gpu)) == 0 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

// Thresholds may be numbers that no header names yet.
nvmlReturn_t nvmlEventSetRegisterGpuOperationalEvents_v1(Store& node, nvmlEventSet_t eventSet,
                                                         const nvmlGpuOperationalEventConfig_v1_t* config) {
  if (sets.find(eventSet) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const GpuSlot* gpu = find_by_uuid(node, config->uuid);
  if (gpu == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const Fact<std::uint32_t> architecture = read_field(*gpu, &Gpu::identity, &Identity::architecture);
  const bool recent = architecture.has_value() && architecture.value != DEVICE_ARCH_UNKNOWN &&
                      architecture.value >= std::uint32_t{DEVICE_ARCH_TURING};
  return recent ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlSystemEventSetCreate(Store&, nvmlSystemEventSetCreateRequest_t* request) {
  return make_set(system_sets, &request->set);
}

nvmlReturn_t nvmlSystemEventSetFree(Store&, nvmlSystemEventSetFreeRequest_t* request) {
  return free_set(system_sets, request->set);
}

nvmlReturn_t nvmlSystemRegisterEvents(Store&, nvmlSystemRegisterEventRequest_t* request) {
  if (system_sets.find(request->set) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  return (request->eventTypes & ~kOfSystem) == 0 ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlSystemEventSetWait(Store& node, nvmlSystemEventSetWaitRequest_t* request) {
  if (system_sets.find(request->set) == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (request->data == nullptr || request->dataSize == 0) return NVML_ERROR_INVALID_ARGUMENT;
  request->numEvent = 0;
  return wait(node, request->timeoutms);
}

}  // namespace hooks
}  // namespace nvmlab::driver
