// SPDX-License-Identifier: Apache-2.0
// How the objects that own their handle are made, and how the driver is told of their end.
#include "nvmlab/nvml/owned.hpp"

#include "nvmlab/nvml/event_set.hpp"
#include "nvmlab/nvml/gpm_sample.hpp"
#include "nvmlab/nvml/system_event_set.hpp"

namespace nvml::inline v1 {
namespace {

Result<void> free_event_set(const detail::State& state, abi::nvmlEventSet_t set) {
  return detail::ask(state, &Functions::nvmlEventSetFree, set);
}

Result<void> free_gpm_sample(const detail::State& state, abi::nvmlGpmSample_t sample) {
  return detail::ask(state, &Functions::nvmlGpmSampleFree, sample);
}

Result<void> free_system_event_set(const detail::State& state, abi::nvmlSystemEventSet_t set) {
  abi::nvmlSystemEventSetFreeRequest_t request{};
  detail::fill_version(request);
  request.set = set;
  return detail::ask(state, &Functions::nvmlSystemEventSetFree, &request);
}

template <class Handle>
detail::Counted<detail::Owner<Handle>> owner(const detail::Shared& library, Handle handle,
                                             detail::Release<Handle> release) {
  return detail::Counted<detail::Owner<Handle>>::make(library, handle, release);
}

}  // namespace

EventSet::EventSet(const detail::Shared& library, abi::nvmlEventSet_t handle)
    : EventSetMethods(library, handle), owner_(owner(library, handle, free_event_set)) {}

GpmSample::GpmSample(const detail::Shared& library, abi::nvmlGpmSample_t handle)
    : GpmSampleMethods(library, handle), owner_(owner(library, handle, free_gpm_sample)) {}

SystemEventSet::SystemEventSet(const detail::Shared& library, abi::nvmlSystemEventSet_t handle)
    : SystemEventSetMethods(library, handle), owner_(owner(library, handle, free_system_event_set)) {}

}  // namespace nvml::inline v1
