// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs a process counts: those of the machine, less what was removed and less what was draining when the process
// initialised NVML. A GPU that begins to drain later stays in view until the process starts over, as with a real
// driver. Whoever walks over all GPUs walks over these. Tests: tests/drivers/functions/drain_test.cpp.
#pragma once

#include "drivers/nvml/process.hpp"

namespace nvmlab::driver {

// Remembers what is draining now; at the first nvmlInit.
void note_hidden_gpus(const Store& store);

// As long as none is hidden or set apart, a GPU's place is its index.
inline bool all_visible(const Store& store) {
  return !__atomic_load_n(&process.any_hidden, __ATOMIC_RELAXED) && gpus_set_apart(store) == 0;
}

bool counted(const Store& store, const GpuSlot& slot);
std::uint32_t count_gpus(const Store& store);
const GpuSlot* nth_counted(const Store& store, std::uint32_t index);

std::uint32_t place_among_counted(const Store& store, const GpuSlot& slot);

// The index that nth_gpu() takes.
inline std::uint32_t place_of(const Store& store, const GpuSlot& slot) {
  if (!all_visible(store)) [[unlikely]]
    return place_among_counted(store, slot);
  return static_cast<std::uint32_t>(&slot - store.slots());
}

// Null beyond the last.
inline const GpuSlot* nth_gpu(const Store& store, std::uint32_t index) {
  if (!all_visible(store)) [[unlikely]]
    return nth_counted(store, index);
  return index < gpu_count(store) ? &store.gpus()[index] : nullptr;
}
const GpuSlot* next_gpu(const Store& store, const GpuSlot* slot);  // null: the first; null after the last

// for (const GpuSlot& slot : VisibleGpus{store})
class VisibleGpus {
 public:
  explicit VisibleGpus(const Store& store) : store_(store) {}

  class Iterator {
   public:
    Iterator(const Store& store, const GpuSlot* slot) : store_(&store), slot_(slot) {}
    const GpuSlot& operator*() const { return *slot_; }
    Iterator& operator++() {
      slot_ = next_gpu(*store_, slot_);
      return *this;
    }
    bool operator!=(const Iterator& other) const { return slot_ != other.slot_; }

   private:
    const Store* store_;
    const GpuSlot* slot_;
  };

  Iterator begin() const { return {store_, next_gpu(store_, nullptr)}; }
  Iterator end() const { return {store_, nullptr}; }

 private:
  const Store& store_;
};

}  // namespace nvmlab::driver
