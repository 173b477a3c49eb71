// SPDX-License-Identifier: Apache-2.0
// A loop over events. Not part of <nvmlab/nvml.hpp>. Covered by tests/binding/watch_test.cpp.
//
//   std::jthread watcher([&](std::stop_token stop) {
//     const auto end = nvml::watch(library, library.devices(), nvml::EventType::xid_critical_error, stop,
//                                  [](const nvml::Event& event) { if (event.xid) page_somebody(*event.xid); });
//   });
#pragma once

#include <chrono>
#include <functional>
#include <span>
#include <stop_token>

#include "nvmlab/nvml/event.hpp"
#include "nvmlab/nvml/library.hpp"

namespace nvml::inline v1 {

/// Waits for events of these types on these devices and hands each to `seen`, in this thread, until it is told to stop.
/// `seen` may throw; the event set is freed. NVML cannot be woken, so a stop is noticed after `glance` at most.
///
/// A device is registered for those of the types that it supports. One that cannot be watched, because it is lost, say,
/// or supports none of them (NOT_SUPPORTED), ends the watch before it begins: nobody shall wait for events that cannot
/// come. Whoever gives `refused` is told of each such device instead, and the others are watched; the watch then ends
/// where there is no other.
///
/// Errors: that of a device that cannot be watched; what nvmlEventSetWait answers but for TIMEOUT: GPU_IS_LOST if a
/// device is gone, say. Calling again with the remaining devices goes on.
[[nodiscard]] Result<void> watch(const Library& library, std::span<const Device> devices, EventTypes types,
                                 const std::stop_token& stop, const std::function<void(const Event&)>& seen,
                                 const std::function<void(const Device&, const Error&)>& refused = {},
                                 std::chrono::milliseconds glance = std::chrono::milliseconds{100});

}  // namespace nvml::inline v1
