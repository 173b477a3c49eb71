// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/visible_gpus.hpp"

#include "drivers/nvml/hooks/fetch.hpp"

namespace nvmlab::driver {
namespace {

// One bit for each GPU; written before the store is published to the process, and only read afterwards.
std::uint64_t hidden[kMaxGpus / 64];

}  // namespace

void note_hidden_gpus(const Store& store) {
  process.any_hidden = false;
  for (std::uint64_t& word : hidden)
    word = 0;
  for (std::uint32_t i = 0; i < gpu_count(store); ++i) {
    if (peek_field(store, i, &Gpu::modes, &Modes::drain).value_or(0) == 0) continue;
    hidden[i / 64] |= std::uint64_t{1} << (i % 64);
    process.any_hidden = true;
  }
}

bool counted(const Store& store, const GpuSlot& slot) {
  const auto index = static_cast<std::uint32_t>(&slot - store.slots());
  return present(slot) && (hidden[index / 64] >> (index % 64) & 1) == 0;
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
