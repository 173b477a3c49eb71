// SPDX-License-Identifier: Apache-2.0
// What is freed with its last copy: event sets and samples. Covered by tests/binding/owned_test.cpp.
#pragma once

#include "nvmlab/loader/atomic.hpp"
#include "nvmlab/loader/counted.hpp"
#include "nvmlab/nvml/shapes/call.hpp"

namespace nvml::inline v1::detail {

// How the driver is told that a handle is not needed any more.
template <class Handle>
using Release = Result<void> (*)(const State& state, Handle handle);

// Kept by all copies of one object.
template <class Handle>
class Owner {
 public:
  Owner(Shared library, Handle handle, Release<Handle> release) noexcept
      : library_(std::move(library)), handle_(handle), release_(release) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    if (!freed_.load()) static_cast<void>(release_(*library_, handle_));  // there is nobody left to tell
  }

  // Now; the last copy then does nothing. What is freed cannot be freed again.
  Result<void> free() {
    if (freed_.exchange(true))
      return unexpected(
          Error{static_cast<Return>(abi::NVML_ERROR_INVALID_ARGUMENT), Origin::binding, "", "freed already"});
    return release_(*library_, handle_);
  }

 private:
  Shared library_;
  Handle handle_;
  Release<Handle> release_;
  Atomic<bool> freed_{false};
};

// Through the copy that an object has, which it has not when it was moved from.
template <class Handle>
Result<void> free_now(const Counted<Owner<Handle>>& owner) {
  if (owner) return owner->free();
  return unexpected(
      Error{static_cast<Return>(abi::NVML_ERROR_INVALID_ARGUMENT), Origin::binding, "", "moved from: not its owner"});
}

}  // namespace nvml::inline v1::detail
