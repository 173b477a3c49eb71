// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/streams/work_queue.hpp"

#include "drivers/cuda/streams/released_memory.hpp"
#include "drivers/cuda/streams/work_items.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

WorkQueue* active = nullptr;  // the one that waits longest first
WorkQueue* last_active = nullptr;
WorkQueue* free_queues = nullptr;
std::uint64_t last_serial = 0;
std::uint32_t holders = 0;
std::uint32_t running_count = 0;

void activate(WorkQueue& queue) {
  queue.next_active = nullptr;
  (last_active == nullptr ? active : last_active->next_active) = &queue;
  last_active = &queue;
}

void deactivate(WorkQueue& queue) {
  WorkQueue* before = nullptr;
  for (WorkQueue* each = active; each != &queue; each = each->next_active)
    before = each;
  (before == nullptr ? active : before->next_active) = queue.next_active;
  if (last_active == &queue) last_active = before;
}

void recycle(WorkQueue& queue) {
  if (queue.attributes != nullptr) release_item(queue.attributes);
  queue.attributes = nullptr;
  ++queue.generation;
  queue.next_free = free_queues;
  free_queues = &queue;
}

bool make_queues() {
  constexpr std::uint32_t kPage = 1 << 16;
  auto* const page = static_cast<WorkQueue*>(sys::map_private(kPage));
  if (page == nullptr) return false;
  for (std::uint32_t i = 0; i < kPage / sizeof *page; ++i) {
    page[i].next_free = free_queues;
    free_queues = &page[i];
  }
  return true;
}

// What only says that something else comes first.
bool is_wait(const WorkItem& item) { return item.work.run == nullptr; }

// What waits for a word of memory does so until the context has a fault, or its GPU is lost.
bool may_begin(const WorkQueue& queue) {
  const WorkItem& item = *queue.head;
  if (!reached(item.after)) return false;
  if (item.work.ready == nullptr || item.work.ready(payload_of(item))) return true;
  Context* const context = find_context(queue.context);
  return context == nullptr || state_of_context(*context) != CUDA_SUCCESS;
}

void append(WorkQueue& queue, WorkItem& item, const WorkMark& after) {
  item.after = after;
  item.serial = ++last_serial;
  if (queue.head == nullptr) {
    queue.head = &item;
    activate(queue);
  } else {
    queue.tail->next = &item;
  }
  queue.tail = &item;
  ++queue.submitted;
}

// The order between the legacy stream and the others of its context.
CUresult append_barrier(WorkQueue& queue) {
  WorkQueue* const legacy = find_context(queue.context)->legacy;
  if (legacy == nullptr) return CUDA_SUCCESS;
  if (&queue != legacy) {
    if (!queue.blocking || legacy->head == nullptr || queue.barrier == legacy->submitted) return CUDA_SUCCESS;
    queue.barrier = legacy->submitted;
    return submit_wait(queue, last_of(*legacy));
  }
  for (WorkQueue* each = active; each != nullptr; each = each->next_active) {
    if (each == legacy || each->context != queue.context || !each->blocking) continue;
    if (const CUresult code = submit_wait(queue, last_of(*each)); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

}  // namespace

WorkQueue* create_queue(CUcontext context, std::int32_t priority, bool blocking) {
  if (free_queues == nullptr && !make_queues()) return nullptr;
  WorkQueue* const made = free_queues;
  free_queues = made->next_free;
  const std::uint32_t generation = made->generation;
  *made = {};
  made->context = context;
  made->priority = priority;
  made->blocking = blocking;
  made->generation = generation;
  return made;
}

void abandon_queue(WorkQueue* queue) {
  if (queue == nullptr) return;
  queue->abandoned = true;
  if (queue->head == nullptr) recycle(*queue);
}

WorkQueue* legacy_queue(CUcontext context) {
  Context& of = *find_context(context);
  if (of.legacy == nullptr) of.legacy = create_queue(context, 0, true);
  return of.legacy;
}

CUresult enqueue(WorkQueue& queue, WorkItem* item, WorkMark* mark) {
  if (const CUresult code = append_barrier(queue); code != CUDA_SUCCESS) {
    release_item(item);
    return code;
  }
  append(queue, *item, {});
  *mark = last_of(queue);
  return CUDA_SUCCESS;
}

CUresult submit_wait(WorkQueue& queue, const WorkMark& mark) {
  if (reached(mark) || mark.queue == &queue) return CUDA_SUCCESS;
  WorkItem* const item = create_item(0);
  if (item == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  item->work = {};
  append(queue, *item, mark);
  return CUDA_SUCCESS;
}

bool reached(const WorkMark& mark) {
  return mark.queue == nullptr || mark.queue->generation != mark.generation || mark.queue->completed >= mark.number;
}

WorkMark last_of(WorkQueue& queue) { return {&queue, queue.submitted, queue.generation}; }

bool has_work(CUcontext context, std::uint64_t serial, QueueChoice choice) {
  for (const WorkQueue* each = active; each != nullptr; each = each->next_active) {
    if (context != nullptr && each->context != context) continue;
    if (choice == QueueChoice::blocking && !each->blocking) continue;
    if (each->head->serial <= serial) return true;
  }
  return false;
}

std::uint64_t newest_work() { return last_serial; }

WorkItem* take_first(WorkQueue& queue) {
  while (holders == 0 && queue.head != nullptr && !queue.running && may_begin(queue)) {
    if (!is_wait(*queue.head)) {
      queue.running = true;
      ++running_count;
      return queue.head;
    }
    const std::uint32_t generation = queue.generation;
    finish(queue, CUDA_SUCCESS);
    if (queue.generation != generation) break;
  }
  return nullptr;
}

// Waits that are over go on the way, and may let others begin.
WorkItem* take_any(WorkQueue** queue) {
  if (holders != 0) return nullptr;
  for (bool again = true; again;) {
    again = false;
    WorkQueue* best = nullptr;
    for (WorkQueue* each = active; each != nullptr && !again; each = each->next_active) {
      if (each->running || !may_begin(*each)) continue;
      if (is_wait(*each->head)) {
        finish(*each, CUDA_SUCCESS);
        again = true;
      } else if (best == nullptr || each->priority < best->priority) {
        best = each;
      }
    }
    if (again || best == nullptr) continue;
    *queue = best;
    return take_first(*best);
  }
  return nullptr;
}

CUresult run_item(WorkItem& item, CUresult fault) {
  if (fault != CUDA_SUCCESS && !item.work.despite_fault) return CUDA_SUCCESS;
  return item.work.run(payload_of(item), fault);
}

void finish(WorkQueue& queue, CUresult code) {
  WorkItem* const done = queue.head;
  if (queue.running && --running_count == 0) unmap_released();
  queue.running = false;
  queue.head = done->next;
  ++queue.completed;
  release_item(done);
  deactivate(queue);
  work_was_done();
  if (Context* context = find_context(queue.context); context != nullptr && context->fault == CUDA_SUCCESS)
    context->fault = code;
  if (queue.head != nullptr) {
    activate(queue);
  } else if (queue.abandoned) {
    recycle(queue);
  }
}

std::uint32_t waiting_queues(bool* watched) {
  std::uint32_t waiting = 0;
  *watched = false;
  if (holders != 0) return 0;
  for (const WorkQueue* each = active; each != nullptr; each = each->next_active) {
    if (each->running) continue;
    if (may_begin(*each)) {
      ++waiting;
    } else if (each->head->work.ready != nullptr) {
      *watched = true;
    }
  }
  return waiting;
}

void hold_work(bool held) { held ? ++holders : --holders; }

bool work_runs() { return running_count != 0; }

}  // namespace nvmlab::cuda
