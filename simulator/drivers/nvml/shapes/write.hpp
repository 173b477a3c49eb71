// SPDX-License-Identifier: Apache-2.0
//
// The verdict `write`, and how an export or a hook asks for a change: the rules are those of the engine
// (engine/change/change.hpp), and every process that maps the store sees what became of it.
#pragma once

#include "drivers/nvml/shapes/call.hpp"
#include "drivers/nvml/shapes/outputs.hpp"
#include "engine/change/change.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::driver {

// Changing a GPU takes root, as with a real driver; NVMLAB_ROLE says whom the process stands for, whoever runs it. What
// takes a capability of MIG alone, root may too.
bool may(Role wanted);
inline bool may_administrate() { return may(Role::root); }

nvmlReturn_t apply_change(Store& store, const Change& change);

template <class Body>
nvmlReturn_t apply(const Device& device, const Body& body) {
  return apply_change(device.store, make_change(device.index, body));
}

// The same for the node, or for the vGPUs that it hosts.
template <class Body>
nvmlReturn_t apply(Store& store, const Body& body) {
  return apply_change(store, make_change(MadeOf<Body, VgpuEdit> ? MachinePart::vgpus : MachinePart::node, body));
}

// Asks the engine for a change, behind the prologue. `body` is the change, or a function that makes it from structs of
// the caller, whose pointers are checked first.
template <Function F, class... Arguments, class Body, class... Required>
[[gnu::always_inline]] inline nvmlReturn_t change(Args<Arguments...> arguments, Body body, Required... required) {
  const auto apply_body = [&](auto& receiver) {
    if constexpr (std::is_invocable_v<Body>) {
      return apply(receiver, body());
    } else {
      return apply(receiver, body);
    }
  };
  return call<F>(arguments, apply_body, required...);
}

// Sets a setting by its row in model/state.
template <Function F, auto... Path, class... Arguments, class Value>
[[gnu::always_inline]] inline nvmlReturn_t write(Args<Arguments...> arguments, Value value) {
  const auto offset = static_cast<std::uint32_t>(place(Path...).offset);
  return change<F>(arguments, WriteSetting{offset, static_cast<std::uint32_t>(value)});
}

}  // namespace nvmlab::driver
