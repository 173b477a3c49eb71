// SPDX-License-Identifier: Apache-2.0
#include "engine/change/field_changes.hpp"

#include <cstring>

#include "engine/topics/clocks/clock_rules.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/power/power_changes.hpp"
#include "engine/topics/thermal/thermal_changes.hpp"

namespace nvmlab {
namespace {

template <class T>
Code clear_fact(unsigned char* at) {
  auto& fact = *reinterpret_cast<Fact<T>*>(at);
  if (fact.has_value()) fact.set(0);
  return fact.code();
}

// Whether [offset, offset + size) meets a field.
template <class Topic, class Field>
bool touches(const PutBytes& change, Topic Gpu::*topic, Field Topic::*field) {
  const std::uint64_t begin = __builtin_bit_cast(std::uint64_t, topic) + __builtin_bit_cast(std::uint64_t, field);
  return change.offset < begin + sizeof(Field) && change.offset + change.size > begin;
}

template <class Topic, class... Fields>
bool touches_any(const PutBytes& change, Topic Gpu::*topic, Fields... fields) {
  return (touches(change, topic, fields) || ...);
}

// A clock that a lock or the application clocks hold: what was put there is where it would be by itself.
void free_clock(const PutBytes& change, Clocks& clocks, Fact<std::uint32_t> Clocks::*now,
                Fact<std::uint32_t> Clocks::*free) {
  if (touches(change, &Gpu::clocks, now) && (clocks.*free).has_value()) clocks.*free = clocks.*now;
}

void follow_clocks(const PutBytes& change, GpuEdit& gpu) {
  Clocks& clocks = gpu.edit(&Gpu::clocks);
  free_clock(change, clocks, &Clocks::graphics_mhz, &Clocks::unlocked_graphics_mhz);
  free_clock(change, clocks, &Clocks::sm_mhz, &Clocks::unlocked_sm_mhz);
  free_clock(change, clocks, &Clocks::memory_mhz, &Clocks::unlocked_memory_mhz);
  settle_clocks(clocks);
}

// What follows from what control has put in a place.
void follow(const PutBytes& change, GpuEdit& gpu) {
  if (touches_any(change, &Gpu::clocks, &Clocks::locked_graphics_min_mhz, &Clocks::locked_graphics_max_mhz,
                  &Clocks::locked_memory_min_mhz, &Clocks::locked_memory_max_mhz, &Clocks::application_graphics_mhz,
                  &Clocks::application_memory_mhz, &Clocks::graphics_mhz, &Clocks::sm_mhz, &Clocks::memory_mhz))
    follow_clocks(change, gpu);
  if (touches_any(change, &Gpu::power, &Power::adaptive_tgp_requested, &Power::adaptive_tgp_allowed,
                  &Power::adaptive_tgp_override))
    arbitrate_tgp(gpu.edit(&Gpu::power));
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

Code make(const WriteSetting& change, GpuEdit& gpu) {
  const unsigned char* const at = gpu.view_at(change.offset);
  if (at == nullptr) return kInvalidArgument;
  const auto& now = *reinterpret_cast<const Fact<std::uint32_t>*>(at);
  if (!now.has_value()) return now.code();
  if (change.value > change.highest) return kInvalidArgument;
  reinterpret_cast<Fact<std::uint32_t>*>(gpu.edit_at(change.offset))->set(change.value);
  return kSuccess;
}

Code make(const ClearCounter& change, GpuEdit& gpu) {
  unsigned char* const at = gpu.edit_at(change.offset);
  if (at == nullptr) return kInvalidArgument;
  return change.wide != 0 ? clear_fact<std::uint64_t>(at) : clear_fact<std::uint32_t>(at);
}

Code make(const PutBytes& change, GpuEdit& gpu) {
  const Code code = put(change, gpu);
  if (code == kSuccess) follow(change, gpu);
  return code;
}

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
