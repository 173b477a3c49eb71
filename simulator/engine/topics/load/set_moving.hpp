// SPDX-License-Identifier: Apache-2.0
// How a fact of a draft begins to move. Tests: tests/unit/load/load_test.cpp.
#pragma once

#include "engine/topics/load/motion.hpp"

namespace nvmlab {

// `part` says how much of the value it is told; see MovingPart.
template <class T>
void set_moving(Fact<T>& fact, Moving which, std::uint32_t part = 0) {
  if (!fact.has_value()) return;
  fact.value = static_cast<T>(static_cast<std::uint32_t>(which) | part);
  fact.stored_code = kMoving ^ kNotSupported;
}

// A fact that a pin or a fault holds moves beneath it.
struct SetMoving {
  GpuEdit& gpu;

  template <class T>
  void operator()(Fact<T>& fact, Moving which, std::uint32_t part = 0) const {
    const std::uint32_t offset = gpu.place_of_edited(&fact);
    if (Pin* const pin = gpu.pins().find(offset)) return in_words(fact, pin->under, which, part);
    if (Beneath* const beneath = gpu.faults().find_beneath(offset)) return in_words(fact, beneath->value, which, part);
    set_moving(fact, which, part);
  }

 private:
  template <class T>
  static void in_words(const Fact<T>&, std::uint64_t (&words)[2], Moving which, std::uint32_t part) {
    Fact<T> fact{};
    static_assert(sizeof fact <= sizeof words);
    std::memcpy(&fact, words, sizeof fact);
    set_moving(fact, which, part);
    std::memcpy(words, &fact, sizeof fact);
  }
};

}  // namespace nvmlab
