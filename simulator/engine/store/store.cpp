// SPDX-License-Identifier: Apache-2.0
#include "engine/store/store.hpp"

#include <cstddef>
#include <cstring>

#include "engine/store/driver_version.hpp"
#include "engine/store/hash.hpp"
#include "engine/store/lock.hpp"
#include "engine/store/replicate.hpp"
#include "engine/store/system.hpp"

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

ThreadLock building;

Store& begin_store(void* memory, const Image& image, std::uint32_t gpu_count, const char* name, std::uint64_t identity,
                   const ClockBeginning& beginning) {
  auto& store = *static_cast<Store*>(memory);
  std::memcpy(store.header.magic, kStoreMagic, sizeof kStoreMagic);
  store.header.format = kStoreFormat;
  store.header.gpu_count = gpu_count;
  store.header.layout_hash = kLayoutHash;
  store.header.total_size = store_size(gpu_count);
  store.header.identity = identity;
  store.header.seed = beginning.seeded ? beginning.seed : mix(identity);
  begin_clock(&store.clock, beginning);
  store.header.created_ns = store.clock.copies[0].machine_ns;
  copy_name(store.header.name, name);
  copy_name(store.header.profile, image.header->name);
  read_node(image, &store.node.copies[0]);
  return store;
}

void finish_store(Store& store) {
  __atomic_store_n(&store.header.phase, static_cast<std::uint32_t>(StorePhase::ready), __ATOMIC_RELEASE);
}

// An image without GPUs has none to repeat; then they stay as zeroed memory is.
void read_state(const Image& image, std::uint32_t index, Gpu* zeroed) {
  if (const std::uint32_t listed = image.header->gpu_count; listed > 0) read_gpu(image, index % listed, zeroed);
}

std::uint64_t mark_of(const Gpu& gpu) { return gpu.modes.mig.value_or(0) != 0 ? kPartitioned : 0; }

void finish_gpu(Store& store, std::uint32_t index) {
  GpuSlot& slot = store.slots()[index];
  const std::uint32_t generation = generation_of(store.header.identity);
  const std::uint64_t marks = __atomic_load_n(&store.node.handle, __ATOMIC_ACQUIRE) | mark_of(slot.copies[0]);
  __atomic_store_n(&slot.handle, make_handle(HandleKind::device, generation, index) | marks, __ATOMIC_RELEASE);
  __atomic_store_n(&slot.generation, generation, __ATOMIC_RELEASE);
}

Image kept_image(const Store& store) {
  return view_image(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(&store) + store.header.image_at));
}

// A GPU of a store that builds on demand. Its node may have got another driver since the image was made.
void build_kept(Store& store, const Image& image, std::uint32_t index) {
  Gpu& gpu = store.slots()[index].copies[0];
  read_state(image, index, &gpu);
  Text<80> listed{};
  read_node_part(image, offsetof(Node, system.driver_version), sizeof listed, &listed);
  const Text<80> now = read_field(store.node, &Node::system, &System::driver_version);
  follow_driver_version(listed, now, &gpu);
  refuse_deprecated(now, &gpu);
}

}  // namespace

StoreError check_store(const void* memory, std::uint64_t size) {
  if (size < sizeof(Store)) return StoreError::too_short;
  const StoreHeader& header = static_cast<const Store*>(memory)->header;
  if (std::memcmp(header.magic, kStoreMagic, sizeof kStoreMagic) != 0) return StoreError::not_a_store;
  if (header.format != kStoreFormat) return StoreError::other_format;
  if (header.layout_hash != kLayoutHash) return StoreError::other_layout;
  if (header.gpu_count > kMaxGpus || header.total_size != store_size(header.gpu_count)) return StoreError::damaged;
  if (header.image_at != 0) return StoreError::damaged;  // what others map is built whole
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

std::uint64_t store_on_demand_size(const Image& image, std::uint32_t gpu_count) {
  return store_size(gpu_count) + image.header->total_size;
}

void build_store(void* memory, const Image& image, std::uint32_t gpu_count, const char* name, std::uint64_t identity,
                 const ClockBeginning& beginning) {
  Store& store = begin_store(memory, image, gpu_count, name, identity, beginning);
  Replicator replicator(image.header->name);
  for (std::uint32_t i = 0; i < gpu_count; ++i) {
    Gpu& gpu = store.slots()[i].copies[0];
    read_state(image, i, &gpu);
    refuse_deprecated(store.node.copies[0].system.driver_version, &gpu);
    if (i < image.header->gpu_count) {
      replicator.list(gpu);
    } else {
      replicator.rename(i, &gpu);
    }
    finish_gpu(store, i);
  }
  finish_store(store);
}

void build_store_on_demand(void* memory, const Image& image, std::uint32_t gpu_count, const char* name,
                           std::uint64_t identity, KeptImage kept) {
  Store& store = begin_store(memory, image, gpu_count, name, identity, {});
  if (kept == KeptImage::in_place) {
    store.header.image_at = reinterpret_cast<std::uintptr_t>(image.header) - reinterpret_cast<std::uintptr_t>(memory);
  } else {
    store.header.image_at = store_size(gpu_count);
    std::memcpy(static_cast<unsigned char*>(memory) + store.header.image_at, image.header, image.header->total_size);
  }
  finish_store(store);
}

// A thread that is gone after a fork may have left half a GPU. Whoever builds it again writes the same words.
void build_gpu(Store& store, std::uint32_t index) {
  if (store.header.image_at == 0) return;
  building.lock();
  __atomic_store_n(&store.header.on_demand, 1, __ATOMIC_RELEASE);
  const Image image = kept_image(store);
  const std::uint32_t listed = image.header->gpu_count;
  // What sets a repeated GPU apart depends on all that are listed, and lies in fields that never change.
  Replicator replicator(image.header->name);
  for (std::uint32_t i = 0; i < listed && index >= listed; ++i) {
    if (!built(store.slots()[i])) {
      build_kept(store, image, i);
      finish_gpu(store, i);
    }
    replicator.list(store.slots()[i].copies[0]);
  }
  if (GpuSlot& slot = store.slots()[index]; !built(slot)) {
    build_kept(store, image, index);
    if (index >= listed) replicator.rename(index, &slot.copies[0]);
    finish_gpu(store, index);
  }
  building.unlock();
}

void peek_image(const Store& store, std::uint32_t index, std::uint64_t offset, std::uint64_t size, void* zeroed) {
  const Image image = kept_image(store);
  const std::uint32_t listed = image.header->gpu_count;
  if (listed > 0) read_gpu_part(image, index % listed, offset, size, zeroed);
}

const GpuSlot* find_marked_gpu(const Store& store, std::uint64_t handle) {
  const GpuSlot& slot = store.gpus()[handle_index(handle)];
  const std::uint64_t own = __atomic_load_n(&slot.handle, __ATOMIC_ACQUIRE) & ~(kFaultyCalls | kPartitioned);
  return own == handle && handle > 1 ? &slot : nullptr;
}

std::uint64_t unit_handle(const Store& store, std::uint32_t index) {
  return make_handle(HandleKind::unit, generation_of(store.header.identity), index);
}

// Counted anew each time: a writer that was killed halfway leaves a number that is too large, which costs readers a
// look at each GPU, and the next one mends it.
static void count_set_apart(Store* store) {
  std::uint32_t count = functions_have_faults(*store) ? 1 : 0;
  for (std::uint32_t i = 0; i < store->header.gpu_count; ++i) {
    const GpuSlot& slot = store->gpus()[i];
    count += present(slot) && refusal_of(slot) == 0 ? 0 : 1;
  }
  __atomic_store_n(&store->header.set_apart, count, __ATOMIC_RELEASE);
}

static void set_handle(Store* store, GpuSlot* slot, std::uint64_t handle) {
  __atomic_fetch_add(&store->header.set_apart, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&slot->handle, handle, __ATOMIC_RELEASE);
  count_set_apart(store);
}

void remove_gpu(Store* store, GpuSlot* slot) {
  if (present(*slot)) set_handle(store, slot, absent_handle(slot->handle));
}

void return_gpu(Store* store, GpuSlot* slot) {
  if (present(*slot)) return;
  slot->generation = slot->generation % 0xFFF + 1;  // never 0, which no handle has
  const auto index = static_cast<std::uint32_t>(slot - store->slots());
  set_handle(store, slot, make_handle(HandleKind::device, slot->generation, index) | store->node.handle);
}

void follow_faults(Store* store, GpuSlot* slot) {
  if (!present(*slot)) return;
  std::uint64_t refusal = 0;
  bool missing = false;
  const std::uint64_t published = __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED) & 1;
  const Faults& faults = slot->faults[published];
  for (const ActiveFault& fault : faults) {
    const std::uint64_t code = fault.refuses & kRefusalMask;
    // A GPU that is lost is beyond a reset.
    if (code != 0 && (refusal == 0 || code < refusal)) refusal = code;
    missing = missing || fault.missing != 0;
  }
  const std::uint64_t wanted = handle_of(*slot) | refusal << kHandleBits | (missing ? kMissing : 0) |
                               mark_of(slot->copies[published]) | store->node.handle;
  if (__atomic_load_n(&slot->handle, __ATOMIC_RELAXED) != wanted) set_handle(store, slot, wanted);
}

// A GPU that is built meanwhile, on demand, waits until all others are told.
void follow_function_faults(Store* store) {
  FunctionFaultTable& table = store->functions;
  const std::uint32_t sequence = __atomic_load_n(&table.sequence, __ATOMIC_RELAXED);
  if (table.followed == sequence) return;
  const std::uint64_t faulty = table.copies[sequence & 1].none() ? 0 : kFaultyCalls;
  if (store->header.image_at != 0) building.lock();
  __atomic_fetch_add(&store->header.set_apart, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&store->node.handle, faulty, __ATOMIC_RELEASE);
  for (std::uint32_t i = 0; i < store->header.gpu_count; ++i) {
    GpuSlot& slot = store->slots()[i];
    const std::uint64_t handle = __atomic_load_n(&slot.handle, __ATOMIC_RELAXED);
    if (present(slot)) __atomic_store_n(&slot.handle, (handle & ~kFaultyCalls) | faulty, __ATOMIC_RELEASE);
  }
  if (store->header.image_at != 0) building.unlock();
  count_set_apart(store);
  __atomic_store_n(&table.followed, sequence, __ATOMIC_RELEASE);
}

void take_down(Store* store) {
  __atomic_store_n(&store->header.phase, static_cast<std::uint32_t>(StorePhase::taken_down), __ATOMIC_RELEASE);
  __atomic_store_n(&store->header.set_apart, store->header.gpu_count, __ATOMIC_RELEASE);
  for (std::uint32_t i = 0; i < store->header.gpu_count; ++i) {
    std::uint64_t& handle = store->slots()[i].handle;
    __atomic_store_n(&handle, absent_handle(make_handle(HandleKind::device, 0, i)), __ATOMIC_RELEASE);
  }
  sys::wake(&store->functions.sequence, 1 << 30, true);  // calls that hang
}

void announce(Store* store, bool shared) {
  __atomic_fetch_add(&store->header.changes, 1, __ATOMIC_RELEASE);
  sys::wake(&store->header.changes, 1 << 30, shared);
}

}  // namespace nvmlab
