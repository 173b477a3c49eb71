// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/events/event_changes.hpp"

#include "engine/topics/events/event_types.hpp"

namespace nvmlab {
namespace {

Code check(const RaiseEvent& change, const GpuEdit& gpu) {
  const bool one_bit = change.type != 0 && (change.type & (change.type - 1)) == 0;
  if (!one_bit) return kInvalidArgument;
  if (change.data != 0 && (change.of_machine || change.type != kXidEvent)) return kInvalidArgument;
  if (change.of_machine) return (change.type & kSystemEvents) != 0 ? kSuccess : kInvalidArgument;
  constexpr std::uint32_t kNewestDriver = ~std::uint32_t{0};
  const EventSources board = event_sources(gpu.view(&Gpu::ecc), gpu.view(&Gpu::modes));
  return (change.type & supported_events(board, kNewestDriver)) != 0 ? kSuccess : kNotSupported;
}

}  // namespace

Code make(const RaiseEvent& change, GpuEdit& gpu) {
  if (const Code code = check(change, gpu); code != kSuccess) return code;
  if (gpu.raised().full()) return kInsufficientResources;
  gpu.raised().add({.type = change.type,
                    .data = change.data,
                    .at_ns = gpu.now_ns(),
                    .gpu = 0,
                    .gpu_instance = change.gpu_instance,
                    .compute_instance = change.compute_instance,
                    .of_machine = change.of_machine ? 1u : 0u});
  return kSuccess;
}

}  // namespace nvmlab
