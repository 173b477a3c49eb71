// SPDX-License-Identifier: Apache-2.0
#include "control/snapshot.hpp"

#include <cstring>

#include "control/pin_list.hpp"
#include "control/published.hpp"
#include "control/refusals.hpp"
#include "engine/topics/derived.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab::control {
namespace {

std::vector<Pin> pins_of(bool of_node, const Pins& pins) {
  std::vector<Pin> copies(pins.items, pins.items + pins.size());
  make_canonical(of_node, copies);
  return copies;
}

template <std::size_t N>
std::string text_of(const char (&text)[N]) {
  return {text, ::strnlen(text, N)};
}

}  // namespace

std::unique_ptr<Gpu> told(const Gpu& stored, std::uint64_t now_ns) {
  auto copy = std::make_unique<Gpu>(stored);
  resolve(*copy, now_ns);
  derived::compute(*copy);
  return copy;
}

std::expected<Snapshot, std::string> take_snapshot(const Store& store, const StoreFile& file) {
  return take_snapshot(store, file, WriteLock(&file));
}

std::expected<Snapshot, std::string> take_snapshot(const Store& store, const StoreFile& file, const WriteLock& lock) {
  if (lock.code() != kSuccess && lock.code() != kNoPermission) return std::unexpected(not_locked(lock.code()));
  if (taken_down(store)) return std::unexpected(not_locked(kGpuIsLost));
  const ClockReading clock = read_clock(store.clock);
  Snapshot snapshot{.machine = text_of(store.header.name),
                    .profile = text_of(store.header.profile),
                    .seed = store.header.seed,
                    .time_ns = clock.now_ns,
                    .clock = clock.segment.mode,
                    .resumes = clock.segment.resumes,
                    .rate = clock.segment.rate,
                    .beside_node = {true, pins_of(true, store.node.pins), false},
                    .gpus = {},
                    .beside_gpus = {}};
  copy_published(store.node, snapshot.node.get());
  const std::uint32_t count = file.shared() ? file.gpu_count : store.header.gpu_count;
  snapshot.gpus.resize(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    const GpuSlot& slot = store.gpus()[i];
    copy_published(slot, &snapshot.gpus[i]);
    // One that went with its driver was not removed, and the driver is no part of a snapshot.
    snapshot.beside_gpus.push_back(
        {present(slot) || slot.with_driver != 0, pins_of(false, slot.pins), !read_faults(slot).none()});
  }
  return snapshot;
}

}  // namespace nvmlab::control
