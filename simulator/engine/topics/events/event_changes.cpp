// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/event_changes.hpp"

#include "engine/topics/events/event_types.hpp"

namespace nvmlab {

Code make(const RaiseEvent& change, GpuEdit& gpu) {
  const bool one_bit = change.type != 0 && (change.type & (change.type - 1)) == 0;
  if (!one_bit) return kInvalidArgument;
  if (change.data != 0 && (change.of_machine || change.type != kXidEvent)) return kInvalidArgument;
  if (change.of_machine) return (change.type & kSystemEvents) != 0 ? kSuccess : kInvalidArgument;
  constexpr std::uint32_t kNewestDriver = ~std::uint32_t{0};
  const EventSources board = event_sources(gpu.view(&Gpu::ecc), gpu.view(&Gpu::modes));
  return (change.type & supported_events(board, kNewestDriver)) != 0 ? kSuccess : kNotSupported;
}

}  // namespace nvmlab
