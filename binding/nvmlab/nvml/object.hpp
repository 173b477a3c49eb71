// SPDX-License-Identifier: Apache-2.0
// What every object of NVML is: a handle of the driver and a share of the library that gave it. A value: copies name
// the same thing, and any of them keeps the library open. One object must not be changed by two threads at once;
// calling methods from many threads is as safe as NVML itself, which is thread-safe.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/loader/state.hpp"

namespace nvml {

template <class Handle>
class Object {
 public:
  Object(detail::Shared library, Handle handle) noexcept : library_(std::move(library)), handle_(handle) {}

  // The C handle, for functions called by hand (Library::functions()).
  Handle handle() const noexcept { return handle_; }

  // The table through which this object calls.
  const Functions& functions() const noexcept { return library_->functions; }

  // Two objects are one if they have one handle of one library.
  friend bool operator==(const Object&, const Object&) = default;

  // For the binding's own parts.
  const detail::Shared& library() const noexcept { return library_; }

 protected:
  const detail::State& state() const noexcept { return *library_; }

 private:
  detail::Shared library_;
  Handle handle_;
};

}  // namespace nvml
