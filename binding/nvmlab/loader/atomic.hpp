// SPDX-License-Identifier: Apache-2.0
// A number, pointer or bool that threads share: std::atomic, as far as the binding needs it, with the order of memory
// that owners' counts and lists want. <atomic> brings mutexes and threads, which each file that includes the binding
// would read. Covered by tests/binding/state_test.cpp; what uses it, under ThreadSanitizer too.
#pragma once

namespace nvml::inline v1::detail {

template <class T>
class Atomic {
 public:
  constexpr explicit Atomic(T value) noexcept : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  // Sees what the thread did before that stored this.
  T load() const noexcept { return __atomic_load_n(&value_, __ATOMIC_ACQUIRE); }
  void store(T value) noexcept { __atomic_store_n(&value_, value, __ATOMIC_RELEASE); }
  // These answer what was there before. One more needs no order: whoever adds an owner is one. The last one that goes
  // sees what all others did.
  T add(T more) noexcept { return __atomic_fetch_add(&value_, more, __ATOMIC_RELAXED); }
  T subtract(T less) noexcept { return __atomic_fetch_sub(&value_, less, __ATOMIC_ACQ_REL); }
  T exchange(T value) noexcept { return __atomic_exchange_n(&value_, value, __ATOMIC_ACQ_REL); }
  // Puts `value` where `seen` is. False if something else is, which `seen` then is; now and then for no reason.
  bool replace(T& seen, T value) noexcept {
    return __atomic_compare_exchange_n(&value_, &seen, value, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }

 private:
  T value_;
};

}  // namespace nvml::inline v1::detail
