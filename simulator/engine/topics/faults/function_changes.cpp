// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/faults/function_changes.hpp"

#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/faults/fault_kinds.hpp"

namespace nvmlab {
namespace {

constexpr std::uint32_t kHighestCode = 999;

template <std::size_t N>
bool ends(const char (&text)[N]) {
  return std::memchr(text, '\0', N) != nullptr;
}

bool is_good(const FunctionFault& fault, std::uint32_t gpu_count) {
  const bool named = ends(fault.function) && ends(fault.process) && fault.function[0] != '\0';
  const bool does = fault.code != 0 || fault.delay_ns != 0 || fault.hangs != 0 || fault.befalls != 0;
  const bool befallen = fault.befalls == 0 || (fault.befalls <= kFaultKinds && fault.gpu < gpu_count);
  const bool some = fault.every != 0 && fault.chance != 0 && fault.chance <= kCertain;
  const bool about = fault.gpu == kAnyGpu || fault.gpu < gpu_count;
  return named && does && some && about && befallen && fault.code <= kHighestCode && fault.hangs <= 1 &&
         fault.shared <= 1;
}

bool same_calls(const FunctionFault& one, const FunctionFault& other) {
  return one.gpu == other.gpu && std::strcmp(one.function, other.function) == 0 &&
         std::strcmp(one.process, other.process) == 0;
}

FunctionFault* place_for(FunctionFaults& faults, const FunctionFault& wanted) {
  for (FunctionFault& each : faults.items) {
    if (each.id != 0 && same_calls(each, wanted)) return &each;
  }
  for (FunctionFault& each : faults.items) {
    if (each.id == 0) return &each;
  }
  return nullptr;
}

}  // namespace

FunctionEdit::FunctionEdit(Store& store, FunctionFaults& scratch)
    : store_(store), faults_(scratch), now_ns_(machine_time_ns(store.clock)), last_id_(store.functions.last_id) {
  scratch = store.functions.copies[store.functions.sequence & 1];
}

void FunctionEdit::publish(bool shared) {
  FunctionFaultTable& table = store_.functions;
  const FunctionFaults& before = table.copies[table.sequence & 1];
  for (std::uint32_t i = 0; i < kMaxFunctionFaults; ++i) {
    if (faults_.items[i].id != before.items[i].id)
      __atomic_store_n(&table.counted[i], std::uint64_t{0}, __ATOMIC_RELEASE);
  }
  nvmlab::store(table.copies[(table.sequence + 1) & 1], faults_);
  __atomic_store_n(&table.last_id, last_id_, __ATOMIC_RELEASE);
  __atomic_store_n(&table.sequence, table.sequence + 1, __ATOMIC_RELEASE);
  follow_function_faults(&store_);
  sys::wake(&table.sequence, 1 << 30, shared);
}

Code make(const FailFunction& change, FunctionEdit& functions) {
  if (!is_good(change.fault, functions.gpu_count())) return kInvalidArgument;
  FunctionFault* const place = place_for(functions.faults(), change.fault);
  if (place == nullptr) return kInsufficientResources;
  *place = change.fault;
  // Of machines that were seeded differently too, as a process may have had several.
  place->id = mix(functions.machine_seed() + functions.next_id()) | 1;
  place->since_ns = functions.now_ns();
  if (place->seed == 0) place->seed = mix(functions.machine_seed() + place->id);
  return kSuccess;
}

Code make(const HealFunctions& change, FunctionEdit& functions) {
  if (!ends(change.function)) return kInvalidArgument;
  bool found = false;
  for (FunctionFault& each : functions.faults().items) {
    if (each.id == 0 || (change.gpu != kAnyGpu && each.gpu != change.gpu)) continue;
    if (change.function[0] != '\0' && std::strcmp(change.function, each.function) != 0) continue;
    each = {};
    found = true;
  }
  return found || change.function[0] == '\0' ? kSuccess : kNotFound;
}

}  // namespace nvmlab
