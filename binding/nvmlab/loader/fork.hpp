// SPDX-License-Identifier: Apache-2.0
// What happens to opened libraries in the child of a fork: their tables become empty, at once and without a check in
// any call. A child made by vfork, posix_spawn or clone without fork's handlers must not use the parent's objects.
// Covered by tests/binding/fork_test.cpp.
#pragma once

#include "nvmlab/loader/state.hpp"

namespace nvml::inline v1::detail {

// A state that is known to the handler for as long as it lives. The list runs through the states themselves: adding and
// removing allocates nothing, and a fork in the middle of it finds it whole.
class ForkAware : public State {
 public:
  ForkAware();
  ~ForkAware() override;

 private:
  friend void empty_tables_of_parent() noexcept;

  ForkAware* next_ = nullptr;
  ForkAware* previous_ = nullptr;
};

}  // namespace nvml::inline v1::detail
