// SPDX-License-Identifier: Apache-2.0
#include "engine/machine/store.hpp"

#include <cstring>

#include "engine/machine/replicate.hpp"
#include "engine/machine/system.hpp"

namespace nvmlab {
namespace {

void copy_name(char (&to)[64], const char* from) {
  std::size_t length = std::strlen(from);
  if (length >= sizeof to) length = sizeof to - 1;
  std::memcpy(to, from, length);
}

std::uint32_t generation_of(std::uint64_t identity) {
  const auto folded = static_cast<std::uint32_t>(identity ^ (identity >> 23) ^ (identity >> 47)) & 0xFFF;
  return folded == 0 ? 1 : folded;
}

}  // namespace

StoreError check_store(const void* memory, std::uint64_t size) {
  if (size < sizeof(Store)) return StoreError::too_short;
  const StoreHeader& header = static_cast<const Store*>(memory)->header;
  if (std::memcmp(header.magic, kStoreMagic, sizeof kStoreMagic) != 0) return StoreError::not_a_store;
  if (header.format != kStoreFormat) return StoreError::other_format;
  if (header.layout_hash != kLayoutHash) return StoreError::other_layout;
  if (header.gpu_count > kMaxGpus || header.total_size != store_size(header.gpu_count)) return StoreError::damaged;
  if (std::memchr(header.name, '\0', sizeof header.name) == nullptr) return StoreError::damaged;
  if (std::memchr(header.profile, '\0', sizeof header.profile) == nullptr) return StoreError::damaged;
  if (size < header.total_size) return StoreError::too_short;
  switch (static_cast<StorePhase>(__atomic_load_n(&header.phase, __ATOMIC_ACQUIRE))) {
    case StorePhase::building:
      return StoreError::unfinished;
    case StorePhase::ready:
      return StoreError::none;
    case StorePhase::taken_down:
      return StoreError::taken_down;
  }
  return StoreError::damaged;
}

const char* describe(StoreError error) {
  switch (error) {
    case StoreError::none:
      return "a store";
    case StoreError::too_short:
      return "truncated: shorter than its header says";
    case StoreError::not_a_store:
      return "not a store of nvmlab";
    case StoreError::other_format:
      return "a store of another format version; take the machine down and up again";
    case StoreError::other_layout:
      return "made by another build of nvmlab; take the machine down and up again";
    case StoreError::damaged:
      return "damaged: its header contradicts itself";
    case StoreError::unfinished:
      return "not finished: whoever brought the machine up died on the way; take it down and up again";
    case StoreError::taken_down:
      return "taken down";
  }
  return "unreadable";
}

void build_store(void* memory, const Image& image, std::uint32_t gpu_count, const char* name, std::uint64_t identity) {
  auto& built = *static_cast<Store*>(memory);
  std::memcpy(built.header.magic, kStoreMagic, sizeof kStoreMagic);
  built.header.format = kStoreFormat;
  built.header.gpu_count = gpu_count;
  built.header.layout_hash = kLayoutHash;
  built.header.total_size = store_size(gpu_count);
  built.header.identity = identity;
  built.header.created_ns = sys::realtime_ns();
  copy_name(built.header.name, name);
  copy_name(built.header.profile, image.header->name);
  read_node(image, &built.node.copies[0]);
  const std::uint32_t listed = image.header->gpu_count;
  Replicator replicator(image.header->name);
  for (std::uint32_t i = 0; i < gpu_count; ++i) {
    GpuSlot& slot = built.gpus()[i];
    if (listed > 0) read_gpu(image, i % listed, &slot.copies[0]);
    if (i < listed) {
      replicator.list(slot.copies[0]);
    } else if (listed > 0) {
      replicator.rename(i, &slot.copies[0]);
    }
    slot.generation = generation_of(identity);
    slot.handle = make_handle(HandleKind::device, slot.generation, i);
  }
  __atomic_store_n(&built.header.phase, static_cast<std::uint32_t>(StorePhase::ready), __ATOMIC_RELEASE);
}

std::uint64_t unit_handle(const Store& store, std::uint32_t index) {
  return make_handle(HandleKind::unit, generation_of(store.header.identity), index);
}

void remove_gpu(Store* store, GpuSlot* slot) {
  if (!present(*slot)) return;
  __atomic_store_n(&slot->handle, std::uint64_t{0}, __ATOMIC_RELEASE);
  __atomic_fetch_add(&store->header.absent, 1, __ATOMIC_RELEASE);
}

void return_gpu(Store* store, GpuSlot* slot) {
  if (present(*slot)) return;
  slot->generation = slot->generation % 0xFFF + 1;  // never 0, which no handle has
  const auto index = static_cast<std::uint32_t>(slot - store->gpus());
  __atomic_store_n(&slot->handle, make_handle(HandleKind::device, slot->generation, index), __ATOMIC_RELEASE);
  __atomic_fetch_sub(&store->header.absent, 1, __ATOMIC_RELEASE);
}

void announce(Store* store, bool shared) {
  __atomic_fetch_add(&store->header.events, 1, __ATOMIC_RELEASE);
  sys::wake(&store->header.events, 1 << 30, shared);
}

}  // namespace nvmlab
