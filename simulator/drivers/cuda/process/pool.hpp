// SPDX-License-Identifier: Apache-2.0
//
// Objects of the process that clients hold by handles: contexts, streams, events, modules and their functions. A handle
// is a number that looks like a pointer and is none, as NVML's are (engine/store/handle.hpp), so one that is foreign,
// stale or damaged is told without following it. Used under the lock of the process. Tests:
// tests/drivers/cuda/hostile_test.cpp.
#pragma once

#include <cstdint>

#include "engine/store/system.hpp"

namespace nvmlab::cuda {

enum class ObjectKind : std::uint64_t {
  context = 1,
  stream = 2,
  event = 3,
  module = 4,
  function = 5,
  pool = 6,
  graph = 7,
  graph_node = 8,
  graph_edge = 9,
  executable_graph = 10,
  capture = 11,
  link = 15,
  array = 16,
  mipmap = 17,
  texture = 18,
  user_object = 19,
  user_reference = 20,
  physical_memory = 21,
  address_range = 22,
  shared_event = 23,
  graph_memory = 24,
  green_context = 25,
  green_alias = 26,
  resource_descriptor = 27,
  condition = 28,
  graph_footprint = 29,
  graph_footprint_use = 30
};

inline constexpr std::uint64_t kObjectTag = 0x435;  // where nothing is ever mapped; above the eight bits of a kind

template <class T, ObjectKind Kind>
class Pool {
 public:
  static constexpr std::uint32_t kCapacity = 0xFFFF;

  // Null where no room is left. What lay there before is zeroed.
  T* create(std::uint64_t* handle) {
    if (slots_ == nullptr) slots_ = static_cast<Slot*>(sys::map_private(sizeof(Slot) * kCapacity));
    if (slots_ == nullptr) return nullptr;
    std::uint32_t index = free_;
    if (index != 0) {
      free_ = slots_[index].next_free;
    } else {
      if (used_ + 1 >= kCapacity) return nullptr;
      index = ++used_;
    }
    Slot& slot = slots_[index];
    slot.object = T{};
    slot.generation = (slot.generation + 1) & kGenerations;
    slot.live = true;
    *handle = kTag << 28 | std::uint64_t{slot.generation} << 16 | index;
    return &slot.object;
  }

  T* find(std::uint64_t handle) {
    const auto index = static_cast<std::uint32_t>(handle & 0xFFFF);
    if (handle >> 28 != kTag || index == 0 || index > used_) return nullptr;
    Slot& slot = slots_[index];
    return slot.live && slot.generation == (handle >> 16 & kGenerations) ? &slot.object : nullptr;
  }

  // Whether a handle was one of these, be the object there or not.
  bool was(std::uint64_t handle) const {
    return handle >> 28 == kTag && (handle & 0xFFFF) <= used_ && (handle & 0xFFFF) != 0;
  }

  void remove(std::uint64_t handle) {
    if (find(handle) == nullptr) return;
    const auto index = static_cast<std::uint32_t>(handle & 0xFFFF);
    slots_[index].live = false;
    slots_[index].next_free = free_;
    free_ = index;
  }

  // The first for which matches(object) is true; null: none is.
  template <class Matches>
  T* find_where(const Matches& matches) {
    for (std::uint32_t index = 1; index <= used_; ++index) {
      if (slots_[index].live && matches(slots_[index].object)) return &slots_[index].object;
    }
    return nullptr;
  }

  // Calls each(object) with all of them.
  template <class Each>
  void for_each(const Each& each) {
    for (std::uint32_t index = 1; index <= used_; ++index) {
      if (slots_[index].live) each(slots_[index].object);
    }
  }

  // Those for which matches(object) is true.
  template <class Matches>
  void remove_where(const Matches& matches) {
    for (std::uint32_t index = 1; index <= used_; ++index) {
      if (!slots_[index].live || !matches(slots_[index].object)) continue;
      slots_[index].live = false;
      slots_[index].next_free = free_;
      free_ = index;
    }
  }

 private:
  static constexpr std::uint32_t kGenerations = 0xFFF;
  static constexpr std::uint64_t kTag = kObjectTag << 8 | static_cast<std::uint64_t>(Kind);
  struct Slot {
    T object;
    std::uint32_t generation;
    std::uint32_t next_free;
    bool live;
  };

  Slot* slots_ = nullptr;
  std::uint32_t used_ = 0;
  std::uint32_t free_ = 0;
};

}  // namespace nvmlab::cuda
