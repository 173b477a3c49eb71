// SPDX-License-Identifier: Apache-2.0
//
// The store: one simulated machine as a block of memory, either private to a process or a file that every process of
// the user maps. It is trivially copyable, addressed by offsets, and says in its header which layout it has.
//
// Each GPU (and the node) lies there twice, behind a sequence latch (latched.hpp). Writers exclude one another with
// WriteLock in lock.hpp. A writer brings over the topics that it changes and those in which the other copy lags behind,
// and no more.
//
// A store of one process alone builds a GPU when it is first asked for: most of what it costs to start is fresh pages
// for the states of GPUs, and a client that looks at one of many pays for one. A store in a file is built whole.
//
// Tests: tests/unit/machine/store_test.cpp (torn reads, killed writers, foreign files, GPUs on demand).
#pragma once

#include <cstdint>

#include "engine/state/generated/state.hpp"
#include "engine/store/change_log.hpp"
#include "engine/store/event_ring.hpp"
#include "engine/store/function_faults.hpp"
#include "engine/store/handle.hpp"
#include "engine/store/image.hpp"
#include "engine/store/latched.hpp"
#include "engine/store/machine_clock.hpp"
#include "engine/store/words.hpp"

namespace nvmlab {

inline constexpr char kStoreMagic[8] = {'N', 'V', 'M', 'L', 'A', 'B', 'S', '\n'};
inline constexpr std::uint32_t kStoreFormat = 11;

enum class StorePhase : std::uint32_t { building = 0, ready = 1, taken_down = 2 };

struct alignas(64) StoreHeader {
  char magic[8];
  std::uint32_t format;
  std::uint32_t gpu_count;
  std::uint64_t layout_hash;
  std::uint64_t total_size;
  std::uint64_t identity;   // differs between any two stores, unless both were seeded alike
  std::uint32_t phase;      // StorePhase
  std::uint32_t changes;    // counts changes of the state; who watches fields sleeps on it
  std::uint32_t set_apart;  // GPUs that were removed, or that refuse calls, and 1 where functions have faults; at least
  std::uint32_t on_demand;  // 1 once a GPU was built on demand
  char name[64];            // of the machine that the user brought up, or of the profile
  char profile[64];
  std::uint64_t created_ns;    // machine time
  std::uint32_t followed;      // 1: some process that runs on a GPU is a real one; see real_process.hpp
  std::uint32_t group_writes;  // 1: its owner lets a group write to it
  std::uint64_t seed;          // of all that could differ between two runs
  std::uint64_t image_at;      // of the image that GPUs are built from on demand, in bytes from here, modulo 2^64 where
                               // it lies in front; 0: all are built
  std::uint32_t driver_phase;  // DriverPhase; see driver_load.hpp
  std::uint32_t driver_loads;  // counts how often the driver was loaded again
  std::uint32_t init_code;     // what nvmlInit is made to answer; 0: nothing is wrong
  char kernel_log[256];        // path of the file that lines of the kernel module go to; empty: nowhere
};

using GpuSlot = Latched<Gpu>;
using NodeSlot = Latched<Node>;

// The GPUs of a store by index, built where they are not yet.
class GpuList;

struct Store {
  StoreHeader header;
  MachineClock clock;
  NodeSlot node;
  EventRing events;
  ChangeLog log;
  FunctionFaultTable functions;
  // gpu_count GpuSlots follow, and behind them the image that they are built from, if they are built on demand.

  GpuList gpus() const;
  GpuSlot* slots() { return reinterpret_cast<GpuSlot*>(this + 1); }
  const GpuSlot* slots() const { return reinterpret_cast<const GpuSlot*>(this + 1); }
};

constexpr std::uint64_t store_size(std::uint32_t gpu_count) {
  return sizeof(Store) + std::uint64_t{gpu_count} * sizeof(GpuSlot);
}

enum class StoreError : std::uint8_t {
  none,
  too_short,
  not_a_store,
  other_format,
  other_layout,
  damaged,
  unfinished,
  taken_down
};

// Checks a mapped block before anything else is read from it.
StoreError check_store(const void* memory, std::uint64_t size);
const char* describe(StoreError error);

// Builds a machine of `gpu_count` GPUs in zeroed memory of store_size(gpu_count) bytes; GPUs beyond those of the image
// repeat them under identities of their own (replicate.hpp).
void build_store(void* memory, const Image& image, std::uint32_t gpu_count, const char* name, std::uint64_t identity,
                 const ClockBeginning& beginning = {});

// The same on demand, for a store that no other process maps. It keeps the image: it copies it behind the GPUs, for
// which store_on_demand_size() has room, or leaves it where it is for as long as there is the store.
enum class KeptImage : std::uint8_t { copied, in_place };
std::uint64_t store_on_demand_size(const Image& image, std::uint32_t gpu_count);
void build_store_on_demand(void* memory, const Image& image, std::uint32_t gpu_count, const char* name,
                           std::uint64_t identity, KeptImage kept = KeptImage::copied);

// Builds a GPU that nobody has asked for so far; any thread may, and only one does.
void build_gpu(Store& store, std::uint32_t index);

inline bool built(const GpuSlot& slot) { return __atomic_load_n(&slot.generation, __ATOMIC_ACQUIRE) != 0; }

// What GPU `index` will have from byte `offset` on when it is built, but for what then sets repeated GPUs apart.
void peek_image(const Store& store, std::uint32_t index, std::uint64_t offset, std::uint64_t size, void* zeroed);

class GpuList {
 public:
  explicit GpuList(Store& store) : store_(store) {}
  GpuSlot& operator[](std::uint32_t index) const {
    GpuSlot& slot = store_.slots()[index];
    if (!built(slot)) [[unlikely]]
      build_gpu(store_, index);
    return slot;
  }

 private:
  Store& store_;
};

// Building a GPU changes nothing that anybody could have seen.
inline GpuList Store::gpus() const { return GpuList(const_cast<Store&>(*this)); }

// One field: consistent(slot, topic, field). The common case, so spelt without a lambda at each use.
template <class State, class Topic, class Field>
inline Field read_field(const Latched<State>& slot, Topic State::*topic, Field Topic::*field) {
  return consistent(slot, [=](const State& state) { return load(state.*topic.*field); });
}

// The same of GPU `index`, without building it where it is not; for fields that say nothing of which GPU it is.
template <class Topic, class Field>
inline Field peek_field(const Store& store, std::uint32_t index, Topic Gpu::*topic, Field Topic::*field) {
  // Not even its slot is touched while there is none: each lies in a page of its own.
  const GpuSlot& slot = store.slots()[index];
  if (store.header.image_at == 0 || (__atomic_load_n(&store.header.on_demand, __ATOMIC_ACQUIRE) != 0 && built(slot)))
    return read_field(slot, topic, field);
  static_assert(sizeof(Field) % 8 == 0);
  Field value{};
  const auto* place = reinterpret_cast<const unsigned char*>(&(slot.copies[0].*topic.*field));
  peek_image(store, index, static_cast<std::uint64_t>(place - reinterpret_cast<const unsigned char*>(&slot.copies[0])),
             sizeof value, &value);
  return value;
}

// Counts that the state has changed and wakes everybody who watches it, in every process that has the store mapped if
// it is `shared`. After publish().
void announce(Store* store, bool shared);

// What lies in place of the handle of a GPU that is not there. Processes look for handles in tables by their last bits;
// where nothing but zeros would lead to this GPU, a one lies there, so that comparing with it is enough to refuse both.
constexpr std::uint64_t absent_handle(std::uint64_t handle) { return handle % kKnownHandles == 0 ? 1 : 0; }
// Whether a GPU is there; it is not after it was removed, and its handle of then never comes back.
inline bool present(const GpuSlot& slot) { return __atomic_load_n(&slot.handle, __ATOMIC_RELAXED) > 1; }
inline std::uint32_t gpus_set_apart(const Store& store) {
  return __atomic_load_n(&store.header.set_apart, __ATOMIC_ACQUIRE);
}

// The handle of a GPU that refuses calls stays what it was, but lies in the slot with the code of the refusal above it,
// so that whoever compares handles finds none, and looks closer.
inline constexpr std::uint32_t kHandleBits = 48;
inline constexpr std::uint64_t kMissing = std::uint64_t{1} << 63;  // processes do not count the GPU
// The same where functions have faults, of every GPU, and of the node, whose slot has no other handle: a call that
// finds what it looks at anyway need not look at anything else.
inline constexpr std::uint64_t kFaultyCalls = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kPartitioned = std::uint64_t{1} << 61;  // MIG is on, so some calls are refused
inline constexpr std::uint64_t kRefusalMask = (std::uint64_t{1} << (61 - kHandleBits)) - 1;

inline std::uint64_t handle_of(const GpuSlot& slot) {
  constexpr std::uint64_t mask = (std::uint64_t{1} << kHandleBits) - 1;
  return __atomic_load_n(&slot.handle, __ATOMIC_RELAXED) & mask;
}
// The code that every call about the GPU gets; 0 where calls go on.
inline std::uint32_t refusal_of(const GpuSlot& slot) {
  const std::uint64_t above = __atomic_load_n(&slot.handle, __ATOMIC_RELAXED) >> kHandleBits;
  return static_cast<std::uint32_t>(above & kRefusalMask);
}
inline bool functions_have_faults(const Store& store) {
  return __atomic_load_n(&store.node.handle, __ATOMIC_RELAXED) != 0;
}
inline bool partitioned(const GpuSlot& slot) {
  return (__atomic_load_n(&slot.handle, __ATOMIC_RELAXED) & kPartitioned) != 0;
}
inline bool missing(const GpuSlot& slot) { return (__atomic_load_n(&slot.handle, __ATOMIC_RELAXED) & kMissing) != 0; }

// Takes a GPU off the machine, and puts it back under a new handle. Only under the WriteLock of the store.
void remove_gpu(Store* store, GpuSlot* slot);
void return_gpu(Store* store, GpuSlot* slot);

// Makes a GPU that is there refuse calls as its published faults and its MIG mode say. Only under the WriteLock of the
// store.
void follow_faults(Store* store, GpuSlot* slot);

// Handles tell whether functions have faults. Only under the WriteLock of the store; also of what a writer that was
// killed has left.
void follow_function_faults(Store* store);

// The faults that are published.
inline Faults read_faults(const GpuSlot& slot) {
  for (;;) {
    const std::uint64_t before = __atomic_load_n(&slot.sequence, __ATOMIC_ACQUIRE);
    Faults faults{};
    load_into(faults, slot.faults[before & 1]);
    if (__atomic_load_n(&slot.sequence, __ATOMIC_RELAXED) == before) return faults;
  }
}

// All GPUs lose their handles for good, and the store says why; what a client finds then is a driver that is gone.
void take_down(Store* store);
inline bool taken_down(const Store& store) {
  return __atomic_load_n(&store.header.phase, __ATOMIC_ACQUIRE) == static_cast<std::uint32_t>(StorePhase::taken_down);
}

// For a handle that is foreign, stale or damaged, or good and of a GPU that nobody has asked for so far, whose MIG mode
// is on, or where functions have faults; its index is one of the store's.
const GpuSlot* find_marked_gpu(const Store& store, std::uint64_t handle);

// The slot that a device handle names, or null for a foreign, stale or damaged one. `gpu_count` as the caller has
// remembered it: a file that others write is not asked at every call.
inline const GpuSlot* find_gpu(const Store& store, std::uint32_t gpu_count, std::uint64_t handle) {
  const std::uint32_t index = handle_index(handle);
  if (index >= gpu_count) return nullptr;
  const GpuSlot& slot = store.slots()[index];
  if (__atomic_load_n(&slot.handle, __ATOMIC_ACQUIRE) == handle && handle > 1) [[likely]]
    return &slot;
  return find_marked_gpu(store, handle);
}

// The slot of a GPU that refuses calls, of its handle; null for any other handle.
inline const GpuSlot* find_refusing_gpu(const Store& store, std::uint32_t gpu_count, std::uint64_t handle) {
  const std::uint32_t index = handle_index(handle);
  if (index >= gpu_count || handle == 0) return nullptr;
  const GpuSlot& slot = store.slots()[index];
  return handle_of(slot) == handle && refusal_of(slot) != 0 ? &slot : nullptr;
}

// Units have handles of the same kind; nothing is stored for them, since they never come or go while a machine is up.
std::uint64_t unit_handle(const Store& store, std::uint32_t index);

// The index of the unit that a handle names, or `count` for a handle that names none of so many.
inline std::uint32_t find_unit(const Store& store, std::uint64_t handle, std::uint32_t count) {
  const std::uint32_t index = handle_index(handle);
  return index < count && unit_handle(store, index) == handle ? index : count;
}

}  // namespace nvmlab
