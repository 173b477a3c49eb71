// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/memory/graph_allocations.hpp"

#include "drivers/cuda/memory/allocation_table.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"

namespace nvmlab::cuda {

constinit Pool<GraphAllocation, ObjectKind::graph_memory> graph_allocations;

namespace {

bool planned = false;

}  // namespace

Allocation* find_live(const GraphAllocation& memory) {
  const std::uint32_t at = behind(memory.of.address);
  Allocation* const found = at == 0 ? nullptr : &allocation_at(at - 1);
  return found != nullptr && found->address == memory.of.address ? found : nullptr;
}

void drop_unused(std::uint64_t handle) {
  const GraphAllocation& memory = *graph_allocations.find(handle);
  if (memory.holders != 0 || find_live(memory) != nullptr) return;
  unmap(memory.of);
  graph_allocations.remove(handle);
}

void end_graph_allocation(std::uint64_t handle) {
  GraphAllocation& memory = *graph_allocations.find(handle);
  if (memory.kept) return_to_footprint(memory.footprint, memory.of.device, memory.of.mapped);
  memory.kept = false;
  drop_unused(handle);
}

PlannedMemory::PlannedMemory(bool counts) : before_(planned) { planned = planned || counts; }
PlannedMemory::~PlannedMemory() { planned = before_; }

const Allocation* find_planned(std::uint64_t address) {
  if (!planned) return nullptr;
  const GraphAllocation* const found = graph_allocations.find_where(
      [=](const GraphAllocation& each) { return address - each.of.address < each.of.size; });
  return found == nullptr ? nullptr : &found->of;
}

}  // namespace nvmlab::cuda
