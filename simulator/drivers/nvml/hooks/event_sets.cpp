// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/hooks/event_sets.hpp"

#include "drivers/nvml/hooks/handle_table.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/overrides.hpp"
#include "drivers/nvml/shapes/prologue.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {
namespace {

// What a set gets of one GPU. All sets share the places; 0 ends a list, so place 0 is never used.
struct Registration {
  std::uint32_t next;
  std::uint32_t gpu;
  std::uint64_t handle;  // the GPU may come back under another one, which nobody registered
  std::uint64_t types;
  std::uint64_t since;  // the number of the first event that counts
};

constexpr std::uint32_t kRegistrations = 2 * kMaxGpus + 1;
Registration registrations[kRegistrations];
std::uint32_t free_places = 0;  // the head of a list of places that were used and are no more
std::uint32_t fresh_place = 1;  // from here on none was ever used

struct EventSetState {
  std::uint64_t next;    // the number of the first event that this set has not seen
  std::uint32_t first;   // of its registrations
  std::uint64_t system;  // the types of the machine's own events that it gets
  std::uint64_t since;   // of them: the number of the first that counts
};

HandleTable<EventSetState, 256, HandleKind::event_set> gpu_sets;
HandleTable<EventSetState, 64, HandleKind::system_event_set> system_sets;

auto& table_of(nvmlEventSet_t) { return gpu_sets; }
auto& table_of(nvmlSystemEventSet_t) { return system_sets; }

template <class Handle>
nvmlReturn_t make_set(Store& node, Handle* set) {
  const ProcessLock lock;
  auto* slot = table_of(Handle{}).make();
  if (slot == nullptr) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  slot->content.next = events_raised(node.events);
  *set = reinterpret_cast<Handle>(slot->handle);
  return NVML_SUCCESS;
}

template <class Handle>
nvmlReturn_t free_set(Handle set) {
  const ProcessLock lock;
  auto* slot = table_of(set).find(set);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  for (std::uint32_t place = slot->content.first; place != 0;) {
    const std::uint32_t next = registrations[place].next;
    registrations[place].next = free_places;
    free_places = place;
    place = next;
  }
  table_of(set).free(*slot);
  return NVML_SUCCESS;
}

// 0: all are in use.
std::uint32_t take_place() {
  if (free_places == 0) return fresh_place < kRegistrations ? fresh_place++ : 0;
  const std::uint32_t place = free_places;
  free_places = registrations[place].next;
  return place;
}

Registration* find_registration(const EventSetState& set, std::uint32_t gpu, std::uint64_t handle) {
  for (std::uint32_t place = set.first; place != 0; place = registrations[place].next) {
    Registration& each = registrations[place];
    if (each.gpu == gpu && each.handle == handle) return &each;
  }
  return nullptr;
}

bool wanted(const EventSetState& set, const Event& event, std::uint64_t number) {
  if (event.of_machine != 0) return (set.system & event.type) != 0 && number >= set.since;
  for (std::uint32_t place = set.first; place != 0; place = registrations[place].next) {
    const Registration& each = registrations[place];
    if (each.gpu == event.gpu && (each.types & event.type) != 0 && number >= each.since) return true;
  }
  return false;
}

// One that is to be reset is still there.
bool lost(const Store& node, std::uint64_t handle) {
  if (find_gpu(node, gpu_count(node), handle) != nullptr) return false;
  const GpuSlot* const refusing = find_refusing_gpu(node, gpu_count(node), handle);
  return refusing == nullptr || refusal_of(*refusing) == NVML_ERROR_GPU_IS_LOST;
}

// Whether a GPU that the set waits for has gone.
bool any_lost(const EventSetState& set, const Store& node) {
  for (std::uint32_t place = set.first; place != 0; place = registrations[place].next) {
    if (lost(node, registrations[place].handle)) return true;
  }
  return false;
}

void say_missed(std::uint64_t missed) {
  if (process.file.writable) count_lost(&process.kept->events, missed);
  Line line;
  line << "an event set missed " << missed << " events: nobody waited on it for too long";
  log_error(line);
}

// The next event for the set, or why there is none: TIMEOUT where it may still come.
nvmlReturn_t take(const Store& node, EventSetState& set, Event* event) {
  std::uint64_t missed = 0;
  nvmlReturn_t code = NVML_ERROR_TIMEOUT;
  // After another machine of the same process was initialised, whose events have other numbers.
  if (set.next > events_raised(node.events)) set.next = events_raised(node.events);
  while (code == NVML_ERROR_TIMEOUT && next_event(node.events, &set.next, &missed, event)) {
    if (wanted(set, *event, set.next - 1)) code = NVML_SUCCESS;
  }
  if (missed > 0) say_missed(missed);
  if (code == NVML_SUCCESS) return code;
  return driver_is_gone(node) || any_lost(set, node) ? NVML_ERROR_GPU_IS_LOST : NVML_ERROR_TIMEOUT;
}

template <class Handle>
nvmlReturn_t try_take(const Store& node, Handle set, Event* event) {
  const ProcessLock lock;
  auto* slot = table_of(set).find(set);
  return slot == nullptr ? NVML_ERROR_INVALID_ARGUMENT : take(node, slot->content, event);
}

template <class Handle>
nvmlReturn_t wait(const Store& node, Handle set, std::uint32_t timeout_ms, Event* event) {
  const bool shared = process.file.shared();
  const std::uint64_t end = sys::monotonic_ns() + std::uint64_t{timeout_ms} * 1'000'000;
  for (;;) {
    const std::uint32_t word = __atomic_load_n(&node.events.word, __ATOMIC_ACQUIRE);
    if (const nvmlReturn_t code = try_take(node, set, event); code != NVML_ERROR_TIMEOUT) return code;
    const std::uint64_t now = sys::monotonic_ns();
    if (now >= end) return NVML_ERROR_TIMEOUT;
    const std::uint64_t nap = overrides_nap_ns();
    sys::wait_on(&node.events.word, word, end - now < nap ? end - now : nap, shared);
    if (end - now > nap) (void)current_store();  // what the file says now may be what is waited for
  }
}

}  // namespace

nvmlReturn_t make_event_set(Store& node, nvmlEventSet_t* set) { return make_set(node, set); }
nvmlReturn_t make_event_set(Store& node, nvmlSystemEventSet_t* set) { return make_set(node, set); }
nvmlReturn_t free_event_set(nvmlEventSet_t set) { return free_set(set); }
nvmlReturn_t free_event_set(nvmlSystemEventSet_t set) { return free_set(set); }
bool known(nvmlEventSet_t set) { return gpu_sets.find(set) != nullptr; }
bool known(nvmlSystemEventSet_t set) { return system_sets.find(set) != nullptr; }

nvmlReturn_t register_events(const Store& node, nvmlEventSet_t set, std::uint32_t gpu, std::uint64_t types) {
  const ProcessLock lock;
  auto* slot = gpu_sets.find(set);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  const std::uint64_t handle = handle_of(node.slots()[gpu]);
  const std::uint64_t now = events_raised(node.events);
  if (Registration* known = find_registration(slot->content, gpu, handle)) {
    known->types |= types;
    return NVML_SUCCESS;
  }
  const std::uint32_t place = take_place();
  if (place == 0) return NVML_ERROR_INSUFFICIENT_RESOURCES;
  registrations[place] = {slot->content.first, gpu, handle, types, now};
  slot->content.first = place;
  return NVML_SUCCESS;
}

nvmlReturn_t register_events(const Store& node, nvmlSystemEventSet_t set, std::uint64_t types) {
  const ProcessLock lock;
  auto* slot = system_sets.find(set);
  if (slot == nullptr) return NVML_ERROR_INVALID_ARGUMENT;
  if (slot->content.system == 0) slot->content.since = events_raised(node.events);
  slot->content.system |= types;
  return NVML_SUCCESS;
}

nvmlReturn_t wait_for_event(const Store& node, nvmlEventSet_t set, std::uint32_t timeout_ms, Event* event) {
  return wait(node, set, timeout_ms, event);
}
nvmlReturn_t wait_for_event(const Store& node, nvmlSystemEventSet_t set, std::uint32_t timeout_ms, Event* event) {
  return wait(node, set, timeout_ms, event);
}

bool next_event_of(const Store& node, nvmlSystemEventSet_t set, Event* event) {
  return try_take(node, set, event) == NVML_SUCCESS;
}

}  // namespace nvmlab::driver
