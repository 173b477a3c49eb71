// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/graph_memory.hpp"

#include "drivers/cuda/graphs/executables.hpp"
#include "drivers/cuda/graphs/graphs.hpp"
#include "drivers/cuda/graphs/submit.hpp"
#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"

namespace nvmlab::cuda {
namespace {

constexpr std::uint64_t kPage = 4096;

std::uint64_t memory_of(const WorkItem& item) {
  if (item.work.type == WorkType::allocate) return static_cast<const NodeAllocation*>(payload_of(item))->memory;
  if (item.work.type == WorkType::release) return static_cast<const NodeFree*>(payload_of(item))->memory;
  return 0;
}

CUresult check_access(const CUDA_MEM_ALLOC_NODE_PARAMS& asked) {
  constexpr int kOnDevice = 1;
  constexpr unsigned kReadAndWrite = 3;
  if (asked.accessDescCount > process.device_count || (asked.accessDescCount > 0 && asked.accessDescs == nullptr))
    return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < asked.accessDescCount; ++i) {
    const CUmemAccessDesc& each = asked.accessDescs[i];
    if (each.location.type != kOnDevice || each.flags > kReadAndWrite) return CUDA_ERROR_INVALID_VALUE;
    if (find_device(each.location.id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  }
  return CUDA_SUCCESS;
}

CUresult check_asked(const CUDA_MEM_ALLOC_NODE_PARAMS& asked) {
  constexpr int kPinned = 1;
  constexpr int kOnDevice = 1;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 46;
  if (asked.bytesize == 0 || asked.poolProps.allocType != kPinned) return CUDA_ERROR_INVALID_VALUE;
  if (asked.poolProps.handleTypes != 0 || asked.poolProps.location.type != kOnDevice) return CUDA_ERROR_NOT_SUPPORTED;
  if (find_device(asked.poolProps.location.id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (asked.bytesize > kMost) return CUDA_ERROR_OUT_OF_MEMORY;
  return check_access(asked);
}

// A launch does what these are for, as it knows the stream.
CUresult run_nothing(void*, CUresult) { return CUDA_SUCCESS; }

// Frees of this graph's own allocations are in order with them; others must be there.
CUresult check_free_of(const WorkItem& item, const ExecutableState& executable) {
  const std::uint64_t handle = memory_of(item);
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (each->work.type == WorkType::allocate && memory_of(*each) == handle) return CUDA_SUCCESS;
  }
  const GraphAllocation* const memory = graph_allocations.find(handle);
  const Allocation* const live = memory == nullptr ? nullptr : find_live(*memory);
  return live == nullptr || live->leaving ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

// Whatever has to be so before anything is changed.
CUresult check_launch(const ExecutableState& executable) {
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (each->work.type == WorkType::release) {
      if (const CUresult code = check_free_of(*each, executable); code != CUDA_SUCCESS) return code;
    }
    if (each->work.type != WorkType::allocate || (executable.flags & kAutoFree) != 0) continue;
    const Allocation* const live = find_live(*graph_allocations.find(memory_of(*each)));
    if (live != nullptr && !live->leaving) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult free_before(const ExecutableState& executable, WorkQueue& queue, WorkMark* mark) {
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (each->work.type != WorkType::allocate) continue;
    const Allocation* const live = find_live(*graph_allocations.find(memory_of(*each)));
    if (live == nullptr || live->leaving) continue;
    if (const CUresult code = submit_free(queue, live->address, mark); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

// How much of a device a launch has at once. Work of a graph is done in one order, so what is freed before another
// allocation makes room for it. What the launch does not free stays `counted`.
std::uint64_t sum_up(const ExecutableState& executable, std::uint32_t device) {
  std::uint64_t now = 0;
  std::uint64_t most = 0;
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    GraphAllocation* const memory = graph_allocations.find(memory_of(*each));
    if (memory == nullptr || memory->of.device != device) continue;
    if (each->work.type == WorkType::allocate) {
      memory->counted = !memory->kept;
      if (memory->counted) now += memory->of.mapped;
      if (now > most) most = now;
    } else if (memory->counted) {
      memory->counted = false;
      now -= memory->of.mapped;
    }
  }
  return most;
}

// Before its allocations begin.
CUresult take_memory(const ExecutableState& executable, const WorkQueue& queue) {
  for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
    if (GraphAllocation* const memory = graph_allocations.find(memory_of(*each))) memory->counted = false;
  }
  for (std::uint32_t device = 0; device < process.device_count; ++device) {
    std::uint64_t footprint = 0;
    const std::uint64_t bytes = sum_up(executable, device);
    if (bytes == 0) continue;
    if (const CUresult code = take_footprint({executable.id, executable.launched}, queue, device, bytes, &footprint);
        code != CUDA_SUCCESS)
      return code;
    for (const WorkItem* each = executable.first; each != nullptr; each = each->next) {
      GraphAllocation* const memory = graph_allocations.find(memory_of(*each));
      if (each->work.type != WorkType::allocate || memory->of.device != device || memory->kept) continue;
      memory->footprint = footprint;
    }
  }
  return CUDA_SUCCESS;
}

// One more use of the address; the one before may be about to end.
CUresult begin(GraphAllocation& memory) {
  Allocation* live = find_live(memory);
  if (live == nullptr) {
    if (!has_room()) return CUDA_ERROR_OUT_OF_MEMORY;
    insert(memory.of);
    live = find_live(memory);
  }
  ++live->users;
  live->leaving = false;
  if (memory.counted) {
    keep_from_footprint(memory.footprint, memory.of.mapped);
    memory.kept = true;
    memory.counted = false;
  }
  return CUDA_SUCCESS;
}

}  // namespace

CUresult plan_allocation(CUgraph graph, CUDA_MEM_ALLOC_NODE_PARAMS* asked, NodeAllocation* out) {
  const GraphState* const owner = find_graph(graph);
  if (owner == nullptr || owner->owned) return CUDA_ERROR_INVALID_VALUE;
  if (const CUresult code = check_asked(*asked); code != CUDA_SUCCESS) return code;
  const auto device = static_cast<std::uint32_t>(asked->poolProps.location.id);
  const CUmemoryPool pool = graph_pool(device);
  std::uint64_t handle = 0;
  GraphAllocation* const made = pool == nullptr ? nullptr : graph_allocations.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const std::uint64_t mapped = (asked->bytesize + kPage - 1) / kPage * kPage;
  void* const place = sys::map_private(mapped);
  if (place == nullptr) {
    graph_allocations.remove(handle);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  asked->dptr = reinterpret_cast<CUdeviceptr>(place);
  made->graph = graph;
  made->of.address = asked->dptr;
  made->of.size = asked->bytesize;
  made->of.mapped = mapped;
  made->of.context = current_context();
  made->of.device = device;
  made->of.kind = MemoryKind::device;
  made->of.pool = pool;
  made->of.from_graph = handle;
  *out = {*asked, handle};
  return CUDA_SUCCESS;
}

CUresult plan_free(CUgraph graph, CUdeviceptr address, NodeFree* out) {
  GraphAllocation* const found = graph_allocations.find_where(
      [=](const GraphAllocation& each) { return each.of.address == address && each.holders != 0; });
  const GraphState* const state = find_graph(graph);
  if (found == nullptr || state == nullptr || state->owned) return CUDA_ERROR_INVALID_VALUE;
  const bool own = found->graph == graph;
  if (found->freed_by_owner || (own && found->freed_by_another)) return CUDA_ERROR_INVALID_VALUE;
  for (CUgraphNode each = state->first; each != nullptr; each = find_node(each)->next) {
    const WorkItem* const item = find_node(each)->item;
    if (item != nullptr && item->work.type == WorkType::release && memory_of(*item) == found->of.from_graph)
      return CUDA_ERROR_INVALID_VALUE;
  }
  *out = {address, found->of.from_graph};
  return CUDA_SUCCESS;
}

CUresult make_allocation_item(const NodeAllocation& planned, const CUmemAccessDesc* access, WorkItem** out) {
  const std::size_t bytes = planned.asked.accessDescCount * sizeof *access;
  const CUresult code = make_sized_item({run_nothing, nullptr, false, WorkType::allocate}, sizeof planned + bytes, out);
  if (code != CUDA_SUCCESS) return code;
  auto* const to = static_cast<NodeAllocation*>(payload_of(**out));
  *to = planned;
  if (access != nullptr) std::memcpy(to + 1, access, bytes);
  return CUDA_SUCCESS;
}

CUresult make_free_item(const NodeFree& planned, WorkItem** out) {
  return make_item({run_nothing, nullptr, false, WorkType::release}, planned, out);
}

void hold_memory(const WorkItem& item, CUgraph node_of) {
  GraphAllocation* const memory = graph_allocations.find(memory_of(item));
  if (memory == nullptr) return;
  ++memory->holders;
  if (node_of == nullptr) return;
  if (item.work.type == WorkType::release)
    (memory->graph == node_of ? memory->freed_by_owner : memory->freed_by_another) = true;
  count_memory_nodes(node_of, 1);
}

void let_go_of_memory(const WorkItem& item, CUgraph node_of) {
  GraphAllocation* const memory = graph_allocations.find(memory_of(item));
  if (memory == nullptr) return;
  if (node_of != nullptr) count_memory_nodes(node_of, -1);
  --memory->holders;
  drop_unused(memory->of.from_graph);
}

void forget_plan(std::uint64_t memory) {
  if (graph_allocations.find(memory) != nullptr) drop_unused(memory);
}

CUresult begin_allocations(const ExecutableState& executable, WorkQueue& queue, WorkMark* mark) {
  CUresult code = check_launch(executable);
  if (code == CUDA_SUCCESS && (executable.flags & kAutoFree) != 0) code = free_before(executable, queue, mark);
  if (code == CUDA_SUCCESS) code = take_memory(executable, queue);
  for (const WorkItem* each = executable.first; each != nullptr && code == CUDA_SUCCESS; each = each->next) {
    if (each->work.type != WorkType::allocate) continue;
    code = begin(*graph_allocations.find(memory_of(*each)));
    if (code == CUDA_SUCCESS) continue;
    for (const WorkItem* begun = executable.first; begun != each; begun = begun->next) {
      if (begun->work.type != WorkType::allocate) continue;
      Allocation* const live = find_live(*graph_allocations.find(memory_of(*begun)));
      live->leaving = true;
      release_queued_allocation(live->address);
    }
  }
  return code;
}

}  // namespace nvmlab::cuda
