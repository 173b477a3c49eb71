// SPDX-License-Identifier: Apache-2.0
//
// Getters of a GPU that is loaded: what they have fetched and moves, gets its value of now. They come here on their
// slow path, by the branch that they take for errors, so the getters of a GPU that nothing loads pay nothing for it.
// Tests: tests/drivers/functions/load_test.cpp.
#pragma once

#include "drivers/nvml/shapes/parts.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::driver {

inline constexpr auto kMovingCode = static_cast<nvmlReturn_t>(kMoving);

// A moving fact, as it is told at a moment.
template <class T>
Fact<T> told_at(const Fact<T>& fact, const GpuSlot& slot, std::uint64_t now_ns) {
  return consistent(slot, [&fact, now_ns](const Gpu& gpu) {
    Fact<T> told = fact;
    resolve(told, Motion(gpu, now_ns));
    return told;
  });
}

// Facts, those of an item of a list, and what cannot move.
template <class Value>
void resolve_part(Value&, const Motion&) {}
template <class T>
void resolve_part(Fact<T>& fact, const Motion& motion) {
  resolve(fact, motion);
}
inline void resolve_all(Fetched<>&, const Motion&) {}
template <class First, class... Rest>
void resolve_all(Fetched<First, Rest...>& facts, const Motion& motion) {
  if constexpr (requires { facts.first.facts; }) {
    resolve_all(facts.first.facts, motion);
  } else {
    resolve_part(facts.first, motion);
  }
  resolve_all(facts.rest, motion);
}

template <class... Parts>
[[gnu::noinline]] nvmlReturn_t answer_moving(const GpuSlot& slot, const Parts&... parts) {
  Fetched<typename Parts::Value...> facts;
  const std::uint64_t now_ns = current_time_ns();
  consistent(slot, [&](const Gpu& gpu) {
    fetch_all(facts, gpu, parts...);
    resolve_all(facts, Motion(gpu, now_ns));
    return true;
  });
  const nvmlReturn_t code = verdict_all(facts, parts...);
  if (code == NVML_SUCCESS) deliver_all(facts, parts...);
  return code;
}

// What a hook has read of a GPU, as it is told now.
template <class Value>
void tell(Value&, const GpuSlot&) {}
template <class T>
void tell(Fact<T>& fact, const GpuSlot& slot) {
  if (fact.moves()) [[unlikely]]
    fact = told_at(fact, slot, current_time_ns());
}
template <class Value>
Value told(Value value, const GpuSlot& slot) {
  tell(value, slot);
  return value;
}
template <class Topic>
bool any_moves(Topic& topic) {
  bool found = false;
  visit_moving(topic, [&found](const auto& fact, Moving) { found = found || fact.moves(); });
  return found;
}

}  // namespace nvmlab::driver
