// SPDX-License-Identifier: Apache-2.0
//
// Events as clients ask for them. What raises them goes through apply() (engine/change/change.hpp). Structured
// ("operational") events are registered for and never come: no public source says what they hold, and those of the
// types of nvmlEventType* come through every way of waiting. Tests: tests/drivers/functions/events_test.cpp,
// event_delivery_test.cpp.
#include "drivers/nvml/hooks/event_sets.hpp"
#include "drivers/nvml/hooks/fetch.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::driver {
namespace {

// The engine has its own names for them.
static_assert(kXidEvent == EventTypeXidCriticalError && kClockEvent == EventTypeClock &&
              kPerformanceStateEvent == EventTypePState && kSingleBitEccEvent == EventTypeSingleBitEccError &&
              kDoubleBitEccEvent == EventTypeDoubleBitEccError && kPowerSourceEvent == EventTypePowerSourceChange &&
              kMigConfigEvent == EventMigConfigChange && kSingleBitEccStormEvent == EventTypeSingleBitEccErrorStorm &&
              kDramRetirementEvent == EventTypeDramRetirementEvent &&
              kDramRetirementFailureEvent == EventTypeDramRetirementFailure &&
              kNonFatalPoisonEvent == EventTypeNonFatalPoisonError && kFatalPoisonEvent == EventTypeFatalPoisonError &&
              kGpuUnavailableEvent == EventTypeGpuUnavailableError &&
              kRecoveryActionEvent == EventTypeGpuRecoveryAction && kDriverBindEvent == SystemEventTypeGpuDriverBind &&
              kDriverUnbindEvent == SystemEventTypeGpuDriverUnbind);

std::uint64_t supported_events_of(const Device& gpu) {
  const auto [ecc, remap_pending] = fetch(gpu, &Gpu::ecc, &Ecc::mode, &Ecc::remap_pending);
  const auto [mig, recovery_action] = fetch(gpu, &Gpu::modes, &Modes::mig, &Modes::recovery_action);
  const EventSources board{ecc.has_value(), remap_pending.has_value(), mig.has_value(), recovery_action.has_value()};
  return supported_events(board, simulated_driver().major);
}

// The GPU may have gone since; its handle is none then.
nvmlDevice_t device_of(const Store& node, const Event& event) {
  const std::uint64_t handle = event.gpu < gpu_count(node) ? handle_of(node.slots()[event.gpu]) : 0;
  return reinterpret_cast<nvmlDevice_t>(handle);
}

// Context belongs to the last structured event that a set delivered.
nvmlReturn_t no_event_yet(nvmlEventSet_t set) {
  return known(set) ? NVML_ERROR_NOT_FOUND : NVML_ERROR_INVALID_ARGUMENT;
}

// Assumed: the number by which the resource manager knows a GPU, made of its place on the bus.
std::uint32_t gpu_id(const Store& node, std::uint32_t gpu) {
  if (gpu >= gpu_count(node)) return 0;
  const PciAddress place = address_of(fetch(node.gpus()[gpu], &Gpu::pci));
  return place.domain << 16 | place.bus << 8 | place.device;
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

nvmlReturn_t nvmlEventSetCreate(Store& node, nvmlEventSet_t* set) { return make_event_set(node, set); }

nvmlReturn_t nvmlEventSetFree(Store&, nvmlEventSet_t set) { return free_event_set(set); }

// Clients of the first version have a struct that ends before the instances.
nvmlReturn_t nvmlEventSetWait(Store& node, nvmlEventSet_t set, nvmlEventData_t* data, unsigned int timeoutms) {
  Event event{};
  const nvmlReturn_t code = wait_for_event(node, set, timeoutms, &event);
  if (code != NVML_SUCCESS) return code;
  data->device = device_of(node, event);
  data->eventType = event.type;
  data->eventData = event.data;
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait_v2(Store& node, nvmlEventSet_t set, nvmlEventData_t* data, unsigned int timeoutms) {
  Event event{};
  const nvmlReturn_t code = wait_for_event(node, set, timeoutms, &event);
  if (code != NVML_SUCCESS) return code;
  *data = {.device = device_of(node, event),
           .eventType = event.type,
           .eventData = event.data,
           .gpuInstanceId = event.gpu_instance,
           .computeInstanceId = event.compute_instance};
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetWait_v3(Store& node, nvmlEventSet_t set, nvmlEventSetWait_v3_t* params) {
  Event event{};
  const nvmlReturn_t code = wait_for_event(node, set, params->timeoutMs, &event);
  if (code != NVML_SUCCESS) return code;
  const unsigned int timeout = params->timeoutMs;
  *params = {};
  params->timeoutMs = timeout;
  params->dataType = NVML_EVENT_DATA_TYPE_NVML_EVENT;
  const Text<96> uuid = read_field(node.gpus()[event.gpu], &Gpu::identity, &Identity::uuid);
  if (uuid.has_value()) std::memcpy(params->uuid, uuid.data, sizeof params->uuid);
  params->eventType = event.type;
  params->eventData = event.data;
  params->timestampUsec = event.at_ns / 1000;
  params->gpuInstanceId = event.gpu_instance;
  params->computeInstanceId = event.compute_instance;
  return NVML_SUCCESS;
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
  *eventTypes = supported_events_of(gpu);
  return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(const Device& gpu, unsigned long long eventTypes, nvmlEventSet_t set) {
  if (!known(set)) return NVML_ERROR_INVALID_ARGUMENT;
  if ((eventTypes & ~supported_events_of(gpu)) != 0) return NVML_ERROR_NOT_SUPPORTED;
  return register_events(gpu.store, set, gpu.index, eventTypes);
}

// Thresholds may be numbers that no header names yet.
nvmlReturn_t nvmlEventSetRegisterGpuOperationalEvents_v1(Store& node, nvmlEventSet_t eventSet,
                                                         const nvmlGpuOperationalEventConfig_v1_t* config) {
  if (!known(eventSet)) return NVML_ERROR_INVALID_ARGUMENT;
  const GpuSlot* gpu = find_by_uuid(node, config->uuid);
  if (gpu == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const Fact<std::uint32_t> architecture = read_field(*gpu, &Gpu::identity, &Identity::architecture);
  const bool recent = architecture.has_value() && architecture.value != DEVICE_ARCH_UNKNOWN &&
                      architecture.value >= std::uint32_t{DEVICE_ARCH_TURING};
  return recent ? NVML_SUCCESS : NVML_ERROR_NOT_SUPPORTED;
}

nvmlReturn_t nvmlSystemEventSetCreate(Store& node, nvmlSystemEventSetCreateRequest_t* request) {
  return make_event_set(node, &request->set);
}

nvmlReturn_t nvmlSystemEventSetFree(Store&, nvmlSystemEventSetFreeRequest_t* request) {
  return free_event_set(request->set);
}

nvmlReturn_t nvmlSystemRegisterEvents(Store& node, nvmlSystemRegisterEventRequest_t* request) {
  if (!known(request->set)) return NVML_ERROR_INVALID_ARGUMENT;
  if ((request->eventTypes & ~kSystemEvents) != 0) return NVML_ERROR_NOT_SUPPORTED;
  return register_events(node, request->set, request->eventTypes);
}

// As many as have happened and as there is room for.
nvmlReturn_t nvmlSystemEventSetWait(Store& node, nvmlSystemEventSetWaitRequest_t* request) {
  if (!known(request->set)) return NVML_ERROR_INVALID_ARGUMENT;
  if (request->data == nullptr || request->dataSize == 0) return NVML_ERROR_INVALID_ARGUMENT;
  request->numEvent = 0;
  Event event{};
  if (const nvmlReturn_t code = wait_for_event(node, request->set, request->timeoutms, &event); code != NVML_SUCCESS)
    return code;
  do {
    request->data[request->numEvent++] = {.eventType = event.type, .gpuId = gpu_id(node, event.gpu)};
  } while (request->numEvent < request->dataSize && next_event_of(node, request->set, &event));
  return NVML_SUCCESS;
}

}  // namespace hooks
}  // namespace nvmlab::driver
