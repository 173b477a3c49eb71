// SPDX-License-Identifier: Apache-2.0
// What the methods of a library itself need: its share, without a handle. Covered by tests/binding/owned_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1 {

/// A library that is open, as its objects share it.
class Opened {
 public:
  /// For the binding's own parts.
  explicit Opened(detail::Shared library) noexcept : library_(std::move(library)) {}

  /// The table through which this library is called.
  const Functions& functions() const noexcept { return library_->functions; }

  /// For the binding's own parts.
  const detail::Shared& library() const noexcept { return library_; }

 protected:
  const detail::State& state() const noexcept { return *library_; }  ///< for the binding's own parts
  detail::Shared& share() noexcept { return library_; }              ///< for the binding's own parts

 private:
  detail::Shared library_;
};

}  // namespace nvml::inline v1
