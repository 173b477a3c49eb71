// SPDX-License-Identifier: Apache-2.0
//
// Work that a program gives to a GPU: each stream has a queue, whose items are done one after another by a thread of
// work_threads.hpp. An item is a function and what it works on, copied. A mark names an item for as long as anybody
// asks whether it is done. Under the lock of the process, but for what says otherwise. Tests:
// tests/drivers/cuda/streams_test.cpp, concurrency_test.cpp.
#pragma once

#include "drivers/cuda/contexts/contexts.hpp"

namespace nvmlab::cuda {

struct WorkItem;

// The nodes of a graph that comes into being which the next one depends on.
struct CaptureTail {
  static constexpr std::uint32_t kMost = 16;
  std::uint64_t of;  // 0: nothing is captured
  std::uint32_t count;
  CUgraphNode last[kMost];
  CUgraphEdgeData data[kMost];  // of the edges from them
};

struct WorkQueue {
  CUcontext context;
  WorkItem* head;
  WorkItem* tail;
  WorkQueue* next_active;  // of those that have items
  WorkQueue* next_free;
  std::uint64_t submitted;  // items, ever
  std::uint64_t completed;
  std::uint64_t barrier;  // how far the legacy stream was when this one was last told to wait for it
  std::uint32_t generation;
  std::int32_t priority;  // smaller goes first
  bool blocking;          // the legacy stream waits for it, and it for that one
  bool running;           // a thread does the first item
  bool abandoned;         // its stream is destroyed: it goes when it is empty
  WorkItem* attributes;   // LaunchAttributes of its stream; null: none was given
  CaptureTail capture;    // where what it is asked for goes instead, while it is captured
};

// An item: done when the queue has completed so many, or is no more.
struct WorkMark {
  WorkQueue* queue;
  std::uint64_t number;
  std::uint32_t generation;
};

// What kind of work it is, by the numbers that CUDA's types of graph nodes have.
enum class WorkType : std::uint32_t {
  kernel = 0,
  copy = 1,
  fill = 2,
  host = 3,
  child = 4,
  empty = 5,
  wait = 6,
  record = 7,
  allocate = 10,
  release = 11,
  words = 12,
  conditional = 13
};

// What an item does. All but `ready` run without the lock.
struct Work {
  // What it returns stays with the context as its fault; `fault` is the one that it has already.
  CUresult (*run)(void* payload, CUresult fault);
  bool (*ready)(const void* payload);  // whether it may begin; null: always. Asked again and again
  bool despite_fault;                  // else it is left out once the context has a fault
  WorkType type;
};

inline constexpr std::uint32_t kMostPayload = 36 << 10;

// Null where there is no memory.
WorkQueue* create_queue(CUcontext context, std::int32_t priority, bool blocking);
void abandon_queue(WorkQueue* queue);
// Of the legacy stream of a context, which waits for all others that block; null where there is no memory.
WorkQueue* legacy_queue(CUcontext context);

// Puts an item (work_items.hpp) behind the others of a queue that is not captured; work_threads.hpp begins it. Takes
// the item, even if it fails.
CUresult enqueue(WorkQueue& queue, WorkItem* item, WorkMark* mark);
// What comes after in this queue waits for the item.
CUresult submit_wait(WorkQueue& queue, const WorkMark& mark);

bool reached(const WorkMark& mark);
WorkMark last_of(WorkQueue& queue);
// Whether a context has work of this number or an earlier one. `kind` as below.
enum class QueueChoice : std::uint8_t { all, blocking };
bool has_work(CUcontext context, std::uint64_t serial, QueueChoice choice);
// The number of the newest item of the process.
std::uint64_t newest_work();

// The first item of a queue, where it may begin now and nobody does it; its queue is running from then on.
WorkItem* take_first(WorkQueue& queue);
// The same of the queue whose turn it is; null: there is nothing to do now.
WorkItem* take_any(WorkQueue** queue);
CUresult run_item(WorkItem& item, CUresult fault);  // without the lock
void finish(WorkQueue& queue, CUresult code);

// How many queues have something that nobody does yet; `watched` says whether an item waits for a word of memory.
std::uint32_t waiting_queues(bool* watched);
// While it is held, nothing begins; what runs ends.
void hold_work(bool held);
bool work_runs();

}  // namespace nvmlab::cuda
