// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/shared_events.hpp"

#include "drivers/cuda/process/pool.hpp"
#include "drivers/cuda/process/shared_memory.hpp"
#include "engine/store/real_process.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint64_t kPage = 4096;
constexpr std::uint32_t kPlaces = 1022;

// What the processes share. A record is told by its number and its process in one word, so that nobody sees one
// without the other.
struct EventPage {
  std::uint64_t last;
  std::uint32_t done[kPlaces];  // the number that was marked last of those that share a place
};
static_assert(sizeof(EventPage) == kPage);

struct SharedEvent {
  EventPage* page;
  int file;
  std::uint32_t users;
};

constinit Pool<SharedEvent, ObjectKind::shared_event> shared_events;

std::uint32_t number_of(SharedRecord record) { return static_cast<std::uint32_t>(record >> 32); }
std::uint32_t process_of(SharedRecord record) { return static_cast<std::uint32_t>(record); }

CUresult keep(int file, std::uint64_t* out) {
  auto* const page = static_cast<EventPage*>(map_shared_memory(nullptr, file, kPage));
  SharedEvent* const made = page == nullptr ? nullptr : shared_events.create(out);
  if (made != nullptr) {
    *made = {page, file, 1};
    return CUDA_SUCCESS;
  }
  if (page != nullptr) sys::unmap(page, kPage);
  close_shared(file);
  return CUDA_ERROR_OUT_OF_MEMORY;
}

struct SharedWait {
  std::uint64_t event;
  SharedRecord record;
};

bool wait_is_over(const void* payload) {
  const SharedWait& wait = *static_cast<const SharedWait*>(payload);
  return is_done(wait.event, wait.record);
}

CUresult end_wait(void* payload, CUresult) {
  const Locked lock;
  release_shared_event(static_cast<const SharedWait*>(payload)->event);
  return CUDA_SUCCESS;
}

// Looking into /proc takes its time, and processes seldom end.
bool has_ended(std::uint32_t process) {
  constexpr std::uint32_t kSeldom = 32;
  static std::uint32_t looks = 0;
  return ++looks % kSeldom == 0 && start_of_process(process) == 0;
}

}  // namespace

CUresult create_shared_event(std::uint32_t device, std::uint64_t* out) {
  const VisibleDevice& at = process.devices[device];
  const int file = create_shared({kPage, at.gpu, at.mig, SharedKind::event});
  return file < 0 ? CUDA_ERROR_OUT_OF_MEMORY : keep(file, out);
}

CUresult open_shared_event(int file, std::uint64_t* out) {
  SharedFacts facts{};
  std::uint32_t device = 0;
  CUresult code = CUDA_SUCCESS;
  if (!read_shared(file, SharedKind::event, &facts) || facts.size != kPage) {
    code = CUDA_ERROR_INVALID_HANDLE;
  } else if (!device_of_shared(facts.gpu, facts.mig, &device)) {
    code = CUDA_ERROR_INVALID_DEVICE;
  }
  if (code == CUDA_SUCCESS) return keep(file, out);
  close_shared(file);
  return code;
}

int file_of_shared_event(std::uint64_t event) { return shared_events.find(event)->file; }

void release_shared_event(std::uint64_t event) {
  SharedEvent* const found = shared_events.find(event);
  if (found == nullptr || --found->users != 0) return;
  sys::unmap(found->page, kPage);
  close_shared(found->file);
  shared_events.remove(event);
}

SharedRecord begin_shared_record(std::uint64_t event) {
  SharedEvent& of = *shared_events.find(event);
  ++of.users;
  SharedRecord last = __atomic_load_n(&of.page->last, __ATOMIC_ACQUIRE);
  SharedRecord next = 0;
  do {
    const std::uint32_t number = number_of(last) + 1 == 0 ? 1 : number_of(last) + 1;
    next = std::uint64_t{number} << 32 | sys::process_id();
  } while (!__atomic_compare_exchange_n(&of.page->last, &last, next, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
  return next;
}

void end_shared_record(std::uint64_t event, SharedRecord record) {
  EventPage& page = *shared_events.find(event)->page;
  __atomic_store_n(&page.done[number_of(record) % kPlaces], number_of(record), __ATOMIC_RELEASE);
  release_shared_event(event);
}

SharedRecord last_shared_record(std::uint64_t event) {
  return __atomic_load_n(&shared_events.find(event)->page->last, __ATOMIC_ACQUIRE);
}

// A later record in the same place is more than a thousand further on.
bool is_done(std::uint64_t event, SharedRecord record) {
  const SharedEvent* const of = shared_events.find(event);
  if (of == nullptr || record == 0) return true;
  std::uint32_t& place = of->page->done[number_of(record) % kPlaces];
  const std::uint32_t done = __atomic_load_n(&place, __ATOMIC_ACQUIRE);
  if (done != 0 && static_cast<std::int32_t>(done - number_of(record)) >= 0) return true;
  if (process_of(record) == sys::process_id() || !has_ended(process_of(record))) return false;
  __atomic_store_n(&place, number_of(record), __ATOMIC_RELEASE);
  return true;
}

CUresult make_shared_wait(std::uint64_t event, WorkItem** out) {
  const SharedWait wait{event, last_shared_record(event)};
  return make_item({end_wait, wait_is_over, true, WorkType::wait}, wait, out);
}

void hold_shared_event(std::uint64_t event) { ++shared_events.find(event)->users; }

}  // namespace nvmlab::cuda
