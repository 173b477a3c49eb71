// SPDX-License-Identifier: Apache-2.0
//
// Events that are raised by hand. What raises them as hardware does is a change of its own topic. Tests:
// tests/drivers/functions/event_delivery_test.cpp.
#pragma once

#include <type_traits>

#include "engine/state/code.hpp"
#include "engine/store/edit.hpp"

namespace nvmlab {

// One event of a GPU, or of the machine about a GPU. Its state stays as it is.
struct RaiseEvent {
  std::uint64_t type;  // one bit of event_types.hpp
  std::uint64_t data;
  std::uint32_t gpu_instance;  // kNoInstance: the whole GPU
  std::uint32_t compute_instance;
  bool of_machine;
  std::uint8_t unused[7] = {};  // the change log keeps every byte, so none may be left to chance
};
static_assert(std::has_unique_object_representations_v<RaiseEvent>);

// kInvalidArgument: not one known bit, or data where there can be none. kNotSupported: no such board reports it.
// kInsufficientResources: changes made together raise more events of one GPU than RaisedEvents::kCapacity.
Code make(const RaiseEvent& change, GpuEdit& gpu);

}  // namespace nvmlab
