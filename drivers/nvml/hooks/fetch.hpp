// SPDX-License-Identifier: Apache-2.0
// What hooks need again and again: a topic as one consistent copy, and texts into a caller's buffer.
#pragma once

#include <cstring>
#include <tuple>

#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/shapes/outputs.hpp"

namespace nvmlab::driver {

template <class Topic>
Topic fetch(const GpuSlot& slot, Topic Gpu::*topic) {
  return consistent(slot, [topic](const Gpu& gpu) { return load(gpu.*topic); });
}

template <class Topic>
Topic fetch(const Device& gpu, Topic Gpu::*topic) {
  return fetch(gpu.slot, topic);
}

// Some fields of a topic, of one moment: auto [total, used] = fetch(gpu, &Gpu::memory, &Memory::total_bytes, ...). A
// topic with a list in it is kilobytes long, and what is asked for often must not copy them.
template <class Topic, class... Fields>
std::tuple<Fields...> fetch(const Device& gpu, Topic Gpu::*topic,
                            Fields Topic::*... fields) requires(sizeof...(Fields) > 0) {
  return consistent(gpu.slot, [=](const Gpu& state) { return std::tuple<Fields...>{load(state.*topic.*fields)...}; });
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
