// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/graphs/conditions.hpp"

#include <cstring>

#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {
namespace {

struct Condition {
  std::uint64_t address;
  CUgraph graph;  // the outermost one
  CUcontext context;
  std::uint32_t first_value;
  std::uint32_t holders;
  bool at_launch;
};

constinit Pool<Condition, ObjectKind::condition> conditions;

CUgraph outermost(CUgraph graph) {
  while (find_graph(graph)->parent != nullptr)
    graph = find_graph(graph)->parent;
  return graph;
}

std::uint32_t* word_of(std::uint64_t condition) {
  return on_device(condition, sizeof(std::uint32_t)) ? reinterpret_cast<std::uint32_t*>(condition) : nullptr;
}

CUresult assign(void* payload, CUresult) {
  const std::uint64_t address = *static_cast<const std::uint64_t*>(payload);
  const Locked lock;
  const Condition* const found = conditions.find_where([=](const Condition& each) { return each.address == address; });
  std::uint32_t* const word = word_of(address);
  if (found == nullptr || word == nullptr) return CUDA_ERROR_ILLEGAL_ADDRESS;
  __atomic_store_n(word, found->first_value, __ATOMIC_RELEASE);
  return CUDA_SUCCESS;
}

// What the word says now; false: it is gone, or the context has a fault.
bool read(const Conditional& of, std::uint32_t* value) {
  const Locked lock;
  const Context* const context = find_context(of.context);
  const std::uint32_t* const word = word_of(of.condition);
  if (context == nullptr || context->fault != CUDA_SUCCESS || word == nullptr) return false;
  *value = __atomic_load_n(word, __ATOMIC_ACQUIRE);
  return true;
}

CUresult run_body(std::uint64_t first) {
  for (auto* each = reinterpret_cast<WorkItem*>(first); each != nullptr; each = each->next) {
    if (const CUresult code = each->work.run(payload_of(*each), CUDA_SUCCESS); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUresult run_conditional(void* payload, CUresult) {
  const Conditional& of = *static_cast<const Conditional*>(payload);
  // An item of an executable, or a copy of one in a queue: the lists are the executable's.
  const auto* const bodies = reinterpret_cast<const std::uint64_t*>(&of + 1);
  std::uint32_t value = 0;
  CUresult code = CUDA_SUCCESS;
  while (code == CUDA_SUCCESS && read(of, &value)) {
    const bool loop = of.type == ConditionalType::loop;
    if (loop && value == 0) break;
    std::uint32_t which = loop ? 0 : value;
    if (of.type == ConditionalType::if_else) which = value != 0 ? 0 : 1;
    if (which < of.size) code = run_body(bodies[which]);
    if (!loop) break;
  }
  return code;
}

}  // namespace

CUresult create_condition(CUgraph graph, CUcontext context, std::uint32_t value, bool at_launch, std::uint64_t* out) {
  std::uint64_t handle = 0;
  Condition* const made = conditions.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  const CUresult code = allocate(context, MemoryKind::host, sizeof value, 0, &made->address);
  if (code != CUDA_SUCCESS) {
    conditions.remove(handle);
    return code;
  }
  *reinterpret_cast<std::uint32_t*>(made->address) = at_launch ? value : 0;
  *made = {made->address, outermost(graph), context, value, 1, at_launch};
  *out = made->address;
  return CUDA_SUCCESS;
}

bool has_condition(CUgraph graph, std::uint64_t condition, CUcontext context) {
  const CUgraph whole = outermost(graph);
  return conditions.find_where([=](const Condition& each) {
    return each.address == condition && each.graph == whole && each.context == context;
  }) != nullptr;
}

void hold_conditions(CUgraph graph) {
  conditions.for_each([graph](Condition& each) {
    if (each.graph == graph) ++each.holders;
  });
}

void let_go_of_conditions(CUgraph graph) {
  conditions.remove_where([graph](Condition& each) {
    if (each.graph != graph || --each.holders != 0) return false;
    release_allocation(each.address, true);
    return true;
  });
}

CUresult append_first_values(CUgraph graph, ExecutableState& to) {
  CUresult code = CUDA_SUCCESS;
  conditions.for_each([&](const Condition& each) {
    if (each.graph != graph || !each.at_launch || code != CUDA_SUCCESS) return;
    WorkItem* made = nullptr;
    code = make_item({assign, nullptr, false, WorkType::empty}, each.address, &made);
    if (code != CUDA_SUCCESS) return;
    made->serial = 0;  // no node's
    link_item(to, made);
  });
  return code;
}

CUresult make_conditional(const CUDA_CONDITIONAL_NODE_PARAMS& asked, WorkItem** out) {
  const std::size_t bodies = asked.size * sizeof(CUgraph);
  const CUresult code =
      make_sized_item({run_conditional, nullptr, false, WorkType::conditional}, sizeof(Conditional) + bodies, out);
  if (code != CUDA_SUCCESS) return code;
  auto* const to = static_cast<Conditional*>(payload_of(**out));
  *to = {asked.handle, static_cast<ConditionalType>(asked.type), asked.size, asked.ctx};
  std::memset(static_cast<void*>(to + 1), 0, bodies);
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
