// SPDX-License-Identifier: Apache-2.0
//
// What hooks need again and again: what they ask of a GPU, all of one moment, and texts into a caller's buffer. A hook
// takes the fields and items that it tells: topics with lists are kilobytes, too much for the stack of a small thread
// and most of the time of a call. Tests: tests/drivers/functions/stack_test.cpp.
#pragma once

#include <cstring>
#include <tuple>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/moving.hpp"
#include "drivers/nvml/shapes/outputs.hpp"
#include "drivers/nvml/visit.hpp"

namespace nvmlab::driver {

// A topic of which something moves, as it is told at a moment.
template <class Topic>
[[gnu::noinline, gnu::cold]] Topic topic_at(const GpuSlot& slot, Topic Gpu::*topic, std::uint64_t now_ns) {
  return consistent(slot, [topic, now_ns](const Gpu& gpu) {
    Topic found = load(gpu.*topic);
    resolve_topic(found, Motion(gpu, now_ns));
    return found;
  });
}

// A small topic whole, as it is now.
template <class Topic>
Topic fetch(const GpuSlot& slot, Topic Gpu::*topic) {
  static_assert(sizeof(Topic) <= 1024, "fetch fields of it, or one item of its list");
  Topic found = consistent(slot, [topic](const Gpu& gpu) { return load(gpu.*topic); });
  if constexpr (kMayMove<Topic>) {
    if (any_moves(found)) found = topic_at(slot, topic, current_time_ns());
  }
  return found;
}

template <class Topic>
Topic fetch(const Device& gpu, Topic Gpu::*topic) {
  return fetch(gpu.slot, topic);
}

// A larger one, into memory of the caller's.
template <class Topic>
void fetch_into(const Device& gpu, Topic Gpu::*topic, Topic& out) {
  static_assert(sizeof(Topic) <= 4096, "fetch fields of it, or one item of its list");
  consistent(gpu.slot, [topic, &out](const Gpu& state) {
    load_into(out, state.*topic);
    return true;
  });
}

// Some fields of a topic: auto [total, used] = fetch(gpu, &Gpu::memory, &Memory::total_bytes, ...).
template <class Topic, class... Fields>
std::tuple<Fields...> fetch(const Device& gpu, Topic Gpu::*topic,
                            Fields Topic::*... fields) requires(sizeof...(Fields) > 0) {
  auto found =
      consistent(gpu.slot, [=](const Gpu& state) { return std::tuple<Fields...>{load(state.*topic.*fields)...}; });
  std::apply([&gpu](Fields&... each) { (tell(each, gpu.slot), ...); }, found);
  return found;
}

// The first item of a list in which a field has a value.
template <class Topic, class List, class Item, class T>
bool find_item(const GpuSlot& slot, Topic Gpu::*topic, List Topic::*list, Fact<T> Item::*key, T wanted, Item* found) {
  return consistent(slot, [=](const Gpu& gpu) {
    return visit_until(gpu.*topic.*list, [=](const Item& item) {
      const Fact<T> own = load(item.*key);
      if (!own.has_value() || own.value != wanted) return false;
      load_into(*found, item);
      return true;
    });
  });
}

inline nvmlReturn_t code_of(std::uint32_t code) { return static_cast<nvmlReturn_t>(code); }

template <class FactType, class T>
nvmlReturn_t give(const FactType& fact, T* to) {
  if (fact.has_value()) *to = static_cast<T>(fact.value);
  return code_of(fact.code());
}

// Length-checked, as all of NVML's texts.
inline nvmlReturn_t put_text(char* to, std::uint32_t size, const char* text) {
  const std::size_t length = std::strlen(text);
  if (length >= size) return NVML_ERROR_INSUFFICIENT_SIZE;
  std::memcpy(to, text, length + 1);
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
