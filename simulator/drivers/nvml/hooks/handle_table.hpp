// SPDX-License-Identifier: Apache-2.0
//
// Objects that clients make and free: event sets, samples. A fixed table, because the driver has no heap; a handle that
// was freed is never good again (until its generation comes round). Tests: tests/drivers/functions/lifecycle_test.cpp,
// tests/drivers/functions/events_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

// All-zero memory is an empty table. Content is reached under process.lock, unless it is used by one thread only.
template <class Content, std::uint32_t N, HandleKind Kind>
class HandleTable {
 public:
  struct Slot {
    std::uint64_t handle;  // 0: free
    std::uint32_t generation;
    Content content;
  };

  // Null when all are in use. Under process.lock.
  Slot* make() {
    for (std::uint32_t i = 0; i < N; ++i) {
      Slot& slot = slots_[i];
      if (slot.handle != 0) continue;
      slot.content = {};
      __atomic_store_n(&slot.handle, make_handle(Kind, ++slot.generation, i), __ATOMIC_RELEASE);
      return &slot;
    }
    return nullptr;
  }

  // Null for a handle that is foreign, damaged or freed.
  template <class Handle>
  Slot* find(Handle given) {
    const auto handle = reinterpret_cast<std::uint64_t>(given);
    const std::uint32_t index = handle_index(handle);
    if (handle == 0 || index >= N) return nullptr;
    return __atomic_load_n(&slots_[index].handle, __ATOMIC_ACQUIRE) == handle ? &slots_[index] : nullptr;
  }

  // Under process.lock.
  void free(Slot& slot) { __atomic_store_n(&slot.handle, std::uint64_t{0}, __ATOMIC_RELEASE); }

 private:
  Slot slots_[N];
};

// Holds process.lock as long as it lives.
class ProcessLock {
 public:
  ProcessLock() { process.lock.lock(); }
  ~ProcessLock() { process.lock.unlock(); }
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;
};

}  // namespace nvmlab::driver
