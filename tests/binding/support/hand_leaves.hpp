// SPDX-License-Identifier: Apache-2.0
// What generated/leaves.hpp is for all other structs, for those whose typed value a person wrote and that others have
// in them.
#pragma once

#include "nvmlab/abi/generated/types.hpp"

namespace nvml {

template <class Visitor>
void leaves(abi::nvmlMask255_t& c, Visitor& visit) {
  for (unsigned& word : c.mask)
    visit.number("mask", word);
}

// What a controller says depends on its type, and patterns are no type; tests/binding/values_hand_test.cpp has the
// types.
template <class Visitor>
void leaves(abi::nvmlPerfMetricControllerSample_t& c, Visitor& visit) {
  visit.number("controllerType", c.controllerType);
}

}  // namespace nvml
