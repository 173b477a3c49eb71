// SPDX-License-Identifier: Apache-2.0
#include "engine/change/field_changes.hpp"

#include <cstring>

#include "engine/topics/field_rules.hpp"

namespace nvmlab {
namespace {

template <class T>
Code clear_fact(unsigned char* at) {
  auto& fact = *reinterpret_cast<Fact<T>*>(at);
  if (fact.has_value()) fact.set(0);
  return fact.code();
}

template <class Bytes, class State>
Code put(const Bytes& change, Edit<State>& draft) {
  if (change.size > sizeof change.bytes || change.offset + std::uint64_t{change.size} > sizeof(State))
    return kInvalidArgument;
  unsigned char* const at = draft.edit_at(change.offset);
  unsigned char* const last = change.size == 0 ? at : draft.edit_at(change.offset + change.size - 1);
  if (at == nullptr || last == nullptr || last < at) return kInvalidArgument;
  std::memcpy(at, change.bytes, change.size);
  return kSuccess;
}

template <class State>
Code pin(const PinField& change, Edit<State>& draft) {
  Pins& pins = draft.pins();
  const unsigned char* const now = draft.view_at(change.offset);
  if (now == nullptr || change.size > sizeof change.value || change.size % 8 != 0 ||
      change.offset + std::uint64_t{change.size} > sizeof(State))
    return kInvalidArgument;
  Pin* entry = pins.find(change.offset);
  if (entry == nullptr) {
    if (pins.size() == kMaxPins) return kInsufficientResources;
    entry = pins.items + pins.count++;
    *entry = {change.offset, change.size, {}, {}};
    std::memcpy(entry->under, now, change.size);
  }
  std::memcpy(entry->value, change.value, sizeof entry->value);
  draft.edit_at(change.offset);  // so that it is imposed
  return kSuccess;
}

template <class State>
Code release(const ReleaseField& change, Edit<State>& draft) {
  Pins& pins = draft.pins();
  const Pin* const entry = pins.find(change.offset);
  if (entry == nullptr) return kSuccess;
  std::memcpy(draft.edit_at(change.offset), entry->under, entry->size);
  const auto at = static_cast<std::uint32_t>(entry - pins.items);
  pins.items[at] = pins.items[pins.count - 1];
  pins.items[--pins.count] = {};
  return kSuccess;
}

template <class State>
Code restore_pin(const Pin& pin, Edit<State>& draft) {
  Pins& pins = draft.pins();
  if (pin.size == 0 || pin.size > sizeof pin.value || pin.size % 8 != 0 || pin.offset % 8 != 0 ||
      draft.view_at(pin.offset) == nullptr || pin.offset + std::uint64_t{pin.size} > sizeof(State))
    return kInvalidArgument;
  if (pins.size() == kMaxPins) return kInsufficientResources;
  pins.items[pins.count++] = pin;
  return kSuccess;
}

template <class State>
Code begin_restoring(Edit<State>& draft) {
  draft.pins() = {};
  draft.faults() = {};
  return kSuccess;
}

}  // namespace

Code make(const WriteSetting& change, GpuEdit& gpu) { return write_setting(gpu, change.offset, change.value); }

Code make(const ClearCounter& change, GpuEdit& gpu) {
  unsigned char* const at = gpu.edit_at(change.offset);
  if (at == nullptr) return kInvalidArgument;
  return change.wide != 0 ? clear_fact<std::uint64_t>(at) : clear_fact<std::uint32_t>(at);
}

Code make(const PutBytes& change, GpuEdit& gpu) { return put(change, gpu); }
Code make(const PutBytes& change, NodeEdit& node) { return put(change, node); }
Code make(const PinField& change, GpuEdit& gpu) { return pin(change, gpu); }
Code make(const PinField& change, NodeEdit& node) { return pin(change, node); }
Code make(const ReleaseField& change, GpuEdit& gpu) { return release(change, gpu); }
Code make(const ReleaseField& change, NodeEdit& node) { return release(change, node); }
Code make(const RestoreSnapshot&, GpuEdit& gpu) { return begin_restoring(gpu); }
Code make(const RestoreSnapshot&, NodeEdit& node) { return begin_restoring(node); }
Code make(const RestorePin& change, GpuEdit& gpu) { return restore_pin(change.pin, gpu); }
Code make(const RestorePin& change, NodeEdit& node) { return restore_pin(change.pin, node); }
Code make(const RestoreBytes& change, GpuEdit& gpu) { return put(change, gpu); }
Code make(const RestoreBytes& change, NodeEdit& node) { return put(change, node); }

}  // namespace nvmlab
