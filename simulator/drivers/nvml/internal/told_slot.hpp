// SPDX-License-Identifier: Apache-2.0
//
// A function of the internal table as those who call it find it: it has faults, and is traced and recorded, as exported
// functions are. Tests: tests/drivers/functions/function_fault_test.cpp, tests/drivers/functions/trace_test.cpp.
#pragma once

#include "drivers/nvml/log.hpp"
#include "drivers/nvml/shapes/prologue.hpp"
#include "engine/topics/faults/internal_slots.hpp"

namespace nvmlab::driver {

// A text that can be the argument of a template.
template <std::size_t N>
struct FixedText {
  char text[N] = {};
  constexpr FixedText(const char (&from)[N]) {  // NOLINT(google-explicit-constructor): a literal is one
    for (std::size_t i = 0; i < N; ++i)
      text[i] = from[i];
  }
};

template <class First, class... Rest>
nvmlDevice_t device_among(First first, Rest...) {
  if constexpr (std::is_same_v<First, nvmlDevice_t>) {
    return first;
  } else {
    return nullptr;
  }
}

// `Parameters` are told as those of the trace are (trace.cpp).
template <std::size_t Slot, auto Function, FixedText Parameters>
struct ToldSlot;
template <std::size_t Slot, class... Arguments, nvmlReturn_t (*Function)(Arguments...), FixedText Parameters>
struct ToldSlot<Slot, Function, Parameters> {
  static_assert(is_internal_slot(Slot));
  static constexpr InternalSlotName kName = name_of_internal_slot(Slot);
  static constexpr auto kParameters = Parameters;

  static nvmlReturn_t call(Arguments... arguments) {
    nvmlReturn_t code = meet_faults(kName.text, device_among(arguments...));
    if (code == NVML_SUCCESS) code = Function(arguments...);
    if (calls_are_told()) [[unlikely]] {
      const std::uint64_t words[] = {trace_word(arguments)..., 0};
      told_of(kName.text, kParameters.text, code, words);
    }
    return code;
  }
};

}  // namespace nvmlab::driver
