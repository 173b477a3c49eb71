// SPDX-License-Identifier: Apache-2.0
// What every object of NVML is: a handle of the driver and a share of the library that gave it. A value: copies name
// the same thing, and any of them keeps the library open. One object must not be changed by two threads at once;
// calling methods from many threads is as safe as NVML itself, which is thread-safe.
// Covered by tests/binding/owned_test.cpp.
#pragma once

#include <compare>
#include <concepts>
#include <optional>
#include <utility>

#include "nvmlab/nvml/hashing.hpp"
#include "nvmlab/nvml/opened.hpp"

namespace nvml::inline v1 {

/// What every object of NVML is: a handle, and a share of the library that gave it. Copies name the same thing.
template <class Handle>
class Object {
 public:
  using handle_type = Handle;  ///< as C has it

  /// One without a library: every call answers UNINITIALIZED of origin binding. One that was moved from is the same.
  Object() = default;

  /// Of a C handle of the same library, from a nvml.h in the same program, say.
  Object(const Opened& library, Handle handle) noexcept : Object(library.library(), handle) {}
  /// Of a handle, for the binding's own parts.
  Object(detail::Shared library, Handle handle) noexcept : library_(std::move(library)), handle_(handle) {}

  /// The C handle, for functions called by hand (Library::functions(), or those of a nvml.h in the same program).
  Handle handle() const noexcept { return handle_; }

  /// Why there is no handle, and with that what every call answers: of a lost GPU in Library::devices(), say. Nothing
  /// where there is one.
  std::optional<Error> refusal() const { return state().refusal; }

  /// The table through which this object calls.
  const Functions& functions() const noexcept { return library_->functions; }

  /// Two objects are one if they have one handle of one library.
  friend bool operator==(const Object&, const Object&) = default;

  /// Some order, in which equal ones stand together: for std::map and std::sort.
  friend std::strong_ordering operator<=>(const Object& a, const Object& b) noexcept {
    if (const auto order = std::compare_three_way{}(&*a.library_, &*b.library_); std::is_neq(order)) return order;
    return std::compare_three_way{}(a.handle_, b.handle_);
  }

  /// For the binding's own parts.
  const detail::Shared& library() const noexcept { return library_; }

 protected:
  const detail::State& state() const noexcept { return *library_; }  ///< for the binding's own parts

 private:
  detail::Shared library_;
  Handle handle_{};
};

namespace detail {

// Device, Unit and all others.
template <class T>
concept IsObject = requires {
  typename T::handle_type;
}
&&std::derived_from<T, Object<typename T::handle_type>>;

}  // namespace detail

}  // namespace nvml::inline v1

/// Of what makes two objects one: the handle and the library.
template <nvml::detail::IsObject T>
struct std::hash<T> {
  std::size_t operator()(const T& object) const noexcept {
    return nvml::detail::mixed(std::hash<const void*>{}(&*object.library()),
                               std::hash<typename T::handle_type>{}(object.handle()));
  }
};
