// SPDX-License-Identifier: Apache-2.0
// A loop over events. Not part of <nvmlab/nvml.hpp>. Covered by tests/binding/watch_test.cpp.
//
//   std::jthread watcher([&](std::stop_token stop) {
//     const auto end = nvml::watch(library, library.devices(), nvml::EventType::xid_critical_error, stop,
//                                  [](const nvml::Event& event) { if (event.xid) page_somebody(*event.xid); });
//   });
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>

#include "nvmlab/nvml/library.hpp"
#include "nvmlab/nvml/objects.hpp"

namespace nvml {

/// The number of an XID error, as the kernel's log has it: 79 is a GPU that has fallen off the bus.
enum class Xid : std::uint64_t {};

/// One thing that happened to one GPU.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): there is no event without a device
struct Event {
  Device device;
  EventTypes type;                              ///< One flag.
  std::uint64_t data = 0;                       ///< What NVML gives beside the type.
  std::optional<Xid> xid;                       ///< `data` where it is the number of an XID error.
  std::optional<unsigned> gpu_instance_id;      ///< Of the MIG instance that it is about, if it is about one.
  std::optional<unsigned> compute_instance_id;  ///< Likewise.
};

/// Waits for events of these types on these devices and hands each to `seen`, in this thread, until it is told to stop.
///
/// A device is registered for those of the types that it supports; one that supports none is left out. With no device
/// left the answer is the refusal of the first, NOT_SUPPORTED where none refused. `seen` may throw; the event set is
/// freed. NVML cannot be woken, so a stop is noticed after `glance` at most.
///
/// Errors: what nvmlEventSetWait answers but for TIMEOUT: GPU_IS_LOST if a device is gone, say. Calling again with the
/// remaining devices goes on.
[[nodiscard]] Result<void> watch(const Library& library, std::span<const Device> devices, EventTypes types,
                                 const std::stop_token& stop, const std::function<void(const Event&)>& seen,
                                 std::chrono::milliseconds glance = std::chrono::milliseconds{100});

}  // namespace nvml
