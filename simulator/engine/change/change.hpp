// SPDX-License-Identifier: Apache-2.0
//
// The only way to change the state of a machine. An NVML setter, `nvmlab set`, a reset and everything else make a
// Change. apply() makes it by the rules of its topic (engine/topics/<topic>/*_changes.hpp), with all consequences.
//
// A Change is a trivially copyable record without pointers. Tests: tests/unit/changes/pins_test.cpp.
#pragma once

#include <cstring>

#include "engine/change/change_list.hpp"
#include "engine/state/code.hpp"
#include "engine/store/lock.hpp"
#include "engine/topics/kernel_log/kernel_log.hpp"

namespace nvmlab {

struct Change {
  // Longer than a cache line or two because the path of a control group and a port register are.
  static constexpr std::uint32_t kCapacity = 288;

  std::uint32_t kind;
  ChangeTarget target;
  alignas(8) std::uint8_t body[kCapacity];
};
static_assert(std::is_trivially_copyable_v<Change> && sizeof(Change) <= 304);

// `target` is the index of a GPU or a MachinePart. apply() returns kInvalidArgument for a body that is not for the
// target.
template <class Body>
Change make_change(ChangeTarget target, const Body& body) {
  static_assert(std::is_trivially_copyable_v<Body> && sizeof(Body) <= Change::kCapacity);
  Change change{kKindOf<Body>, target, {}};
  std::memcpy(change.body, &body, sizeof body);
  return change;
}

template <class Body>
constexpr bool holds(const Change& change) {
  return change.kind == kKindOf<Body>;
}

// Returns the body of a change that holds a Body.
template <class Body>
Body body_of(const Change& change) {
  Body body{};
  std::memcpy(&body, change.body, sizeof body);
  return body;
}

// A machine as somebody changes it.
struct MachineAccess {
  Store& store;
  StoreFile& file;
  bool administrator;                   // may do what NVML asks root for
  KernelLogFile* kernel_log = nullptr;  // where lines of Xids go in place of the machine's own log

  std::uint32_t gpu_count() const { return file.shared() ? file.gpu_count : store.header.gpu_count; }
};

// The result of apply().
struct Applied {
  Code code = kSuccess;
  std::uint32_t failed = 0;  // of several changes, the index of the one that was rejected
  Created created{};         // what a single change created
};

// Takes the store's lock, makes the change and publishes it, or leaves everything as it was: also where the lock is not
// to be had (WriteLock::code()), the machine was taken down in the meantime, or the driver of a GPU is not loaded
// (kDriverNotLoaded). Errors come in the order
// of NVML's: what is not supported, what is out of range, permission, and last what the state of the machine forbids.
// Each Xid that the change raises also becomes a line of the kernel log (engine/topics/kernel_log/kernel_log.hpp).
Applied apply(MachineAccess& machine, const Change& change);

// The same for several changes, all of them or none. Those of one GPU become visible at once. `created`, if not null,
// has one item for each change.
Applied apply(MachineAccess& machine, const Change* changes, std::uint32_t count, Created* created = nullptr);

// As above, for a caller that has the lock already because its changes depend on what it has read.
Applied apply(MachineAccess& machine, const WriteLock& lock, const Change* changes, std::uint32_t count,
              Created* created = nullptr);

}  // namespace nvmlab
