// SPDX-License-Identifier: Apache-2.0
// A value on the heap that all copies of its owner share, gone with the last of them: std::shared_ptr, as far as the
// binding needs it. <memory> brings streams and locales, which each file that includes the binding would read.
// Covered by tests/binding/error_test.cpp and tests/binding/owned_test.cpp.
#pragma once

#include <utility>

#include "nvmlab/loader/atomic.hpp"

namespace nvml::inline v1::detail {

template <class T>
class Counted {
 public:
  Counted() noexcept = default;
  template <class... A>
  static Counted make(A&&... with) {
    Counted made;
    made.node_ = new Node(std::forward<A>(with)...);
    return made;
  }
  Counted(const Counted& other) noexcept : node_(other.node_) {
    if (node_ != nullptr) node_->owners.add(1);
  }
  Counted(Counted&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Counted& operator=(Counted other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Counted() {
    if (node_ != nullptr && node_->owners.subtract(1) == 1) delete node_;
  }

  T* get() const noexcept { return node_ == nullptr ? nullptr : &node_->value; }
  T* operator->() const noexcept { return &node_->value; }
  T& operator*() const noexcept { return node_->value; }
  explicit operator bool() const noexcept { return node_ != nullptr; }
  // Whether both are one.
  friend bool operator==(const Counted&, const Counted&) = default;

 private:
  struct Node {
    template <class... A>
    explicit Node(A&&... with) : value(std::forward<A>(with)...) {}
    Atomic<unsigned> owners{1};
    T value;
  };
  Node* node_ = nullptr;
};

}  // namespace nvml::inline v1::detail
