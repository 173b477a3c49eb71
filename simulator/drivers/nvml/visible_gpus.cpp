// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/visible_gpus.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

// One bit for each GPU; written before the store is published to the process. Who is still in a call that began before
// the last nvmlShutdown may read them meanwhile.
std::uint64_t hidden[kMaxGpus / 64];

}  // namespace

void note_hidden_gpus(const Store& store) {
  __atomic_store_n(&process.any_hidden, false, __ATOMIC_RELAXED);
  for (std::uint64_t& word : hidden)
    __atomic_store_n(&word, std::uint64_t{0}, __ATOMIC_RELAXED);
  for (std::uint32_t i = 0; i < gpu_count(store); ++i) {
    if (peek_field(store, i, &Gpu::modes, &Modes::drain).value_or(0) == 0) continue;
    __atomic_fetch_or(&hidden[i / 64], std::uint64_t{1} << (i % 64), __ATOMIC_RELAXED);
    __atomic_store_n(&process.any_hidden, true, __ATOMIC_RELAXED);
  }
}

bool counted(const Store& store, const GpuSlot& slot) {
  const auto index = static_cast<std::uint32_t>(&slot - store.slots());
  return present(slot) && !missing(slot) &&
         (__atomic_load_n(&hidden[index / 64], __ATOMIC_RELAXED) >> (index % 64) & 1) == 0;
}

const GpuSlot* next_gpu(const Store& store, const GpuSlot* slot) {
  std::uint32_t index = slot == nullptr ? 0 : static_cast<std::uint32_t>(slot - store.slots()) + 1;
  for (; index < gpu_count(store); ++index) {
    if (const GpuSlot& next = store.gpus()[index]; counted(store, next)) return &next;
  }
  return nullptr;
}

std::uint32_t count_gpus(const Store& store) {
  if (all_visible(store)) return gpu_count(store);
  std::uint32_t count = 0;
  for ([[maybe_unused]] const GpuSlot& slot : VisibleGpus{store})
    ++count;
  return count;
}

const GpuSlot* nth_counted(const Store& store, std::uint32_t index) {
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (index-- == 0) return &slot;
  }
  return nullptr;
}

std::uint32_t place_among_counted(const Store& store, const GpuSlot& wanted) {
  std::uint32_t place = 0;
  for (const GpuSlot& slot : VisibleGpus{store}) {
    if (&slot == &wanted) break;
    ++place;
  }
  return place;
}

}  // namespace nvmlab::driver
