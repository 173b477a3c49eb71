// SPDX-License-Identifier: Apache-2.0
//
// What the library knows within one process: which store it reads, how often it was initialised, and what it was asked
// to log. One object, without constructor; getters read only `known`, `fast_store` and `driver_row`.
#pragma once

#include <cstdint>

#include "engine/store/driver_version.hpp"
#include "engine/store/lock.hpp"
#include "engine/store/role.hpp"
#include "engine/store/store.hpp"
#include "nvmlab/abi/abi.hpp"

namespace nvmlab::driver {

using namespace nvml::abi;

inline constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

// Where the handles of GPUs lie that this process has asked for, by the last bits of the handle. A free entry points to
// a word that no handle equals which leads there: to a one for those that end in zeros, to a zero for the others. The
// store keeps the same rule for GPUs that are gone (absent_handle()), so that one comparison tells.
inline constexpr std::uint64_t kNobodysHandles[2] = {absent_handle(1), absent_handle(0)};
constexpr const std::uint64_t* nobodys_handle(std::uint64_t place) { return &kNobodysHandles[absent_handle(place)]; }
struct KnownGpus {
  const std::uint64_t* handle[kKnownHandles];
};
constexpr KnownGpus no_known_gpus() {
  KnownGpus none{};
  for (std::uint32_t i = 0; i < kKnownHandles; ++i)
    none.handle[i] = nobodys_handle(i);
  return none;
}

struct Process {
  KnownGpus known = no_known_gpus();  // at no distance from the beginning, which is an instruction less
  // Null until nvmlInit and again after the last nvmlShutdown, and while a file is watched. Readers need no more than
  // this one pointer.
  Store* store = nullptr;
  // What getters look at that have nothing more to ask then (shapes/read.hpp): the same store and GPUs of it, but none
  // while calls are traced or recorded.
  Store* fast_store = nullptr;
  // Row of the simulated driver in the table of releases; the bit of generated masks that counts. kNoRow: no machine
  // has been looked at.
  std::uint32_t driver_row = kNoRow;
  std::uint32_t trace = 0;         // log level, and whether calls are recorded; see log.hpp
  std::uint32_t role = 0;          // Role
  std::uint32_t gpu_count = 0;     // of the machine, as it was when it was mapped
  std::uint32_t driver_loads = 0;  // of the machine, as it was at nvmlInit
  bool watched = false;            // a file changes the machine, and `store` is null for that (overrides.hpp)
  bool strict = false;             // what is not simulated ends the process (shapes/call.hpp)
  bool any_hidden = false;         // whether some GPU of the machine is not counted (visible_gpus.hpp)

  // Under `lock`.
  ThreadLock lock;
  std::uint32_t init_count = 0;
  StoreFile file;
  Store* kept = nullptr;  // the machine outlives nvmlShutdown, as a driver's state does
  std::uint64_t kept_size = 0;
};

extern Process process;

// From now on getters find the slot by the handle alone, until nvmlShutdown; not while calls are traced, nor where a
// GPU that is 64 away was there before.
void remember_gpu(const Store& store, const GpuSlot& slot);

// For what a library tells before nvmlInit: asks the machine that nvmlInit would use, under the lock, and leaves the
// library as it is. Without a machine the code of nvmlInit.
nvmlReturn_t ask_before_init(nvmlReturn_t (*question)(const Store& store, void* context), void* context);

// As simulated_row(), also before init, where only the machine can tell; it is asked once. Where there is none, the row
// is that of the driver that the library belongs to, or the newest.
std::uint32_t row_before_init();

inline constexpr std::uint32_t kLogLevels = 0xFF;
inline constexpr std::uint32_t kRecordsCalls = 0x100;
inline std::uint32_t log_level() { return __atomic_load_n(&process.trace, __ATOMIC_RELAXED) & kLogLevels; }
inline bool records_calls() { return (__atomic_load_n(&process.trace, __ATOMIC_RELAXED) & kRecordsCalls) != 0; }

inline std::uint32_t simulated_row() { return __atomic_load_n(&process.driver_row, __ATOMIC_RELAXED); }

// What depends on the driver's version; for a yes or no by function, struct version or field id, generated masks have
// one bit for each driver.
inline const DriverRelease& simulated_driver() { return driver_release(simulated_row()); }
inline bool in_simulated_driver(std::uint64_t mask) { return (mask >> simulated_row() & 1) != 0; }

// No more than were mapped, whatever the file says later; and no more than the store says, which is none where another
// machine has taken its place under a call that began before.
inline std::uint32_t gpu_count(const Store& store) {
  const std::uint32_t mapped = __atomic_load_n(&process.gpu_count, __ATOMIC_RELAXED);
  const std::uint32_t said = __atomic_load_n(&store.header.gpu_count, __ATOMIC_RELAXED);
  return said < mapped ? said : mapped;
}

// By the mask of a function: most have come once and stayed, so that one comparison tells.
template <std::uint64_t Mask, std::uint64_t All>
inline bool present_in_simulated_driver() {
  constexpr std::uint64_t kBefore = (Mask & (~Mask + 1)) - 1;
  if constexpr (Mask == All) return true;
  if constexpr ((Mask | kBefore) == All) return simulated_row() >= __builtin_ctzll(Mask);
  return in_simulated_driver(Mask);
}

// The machine of a process that watches a file, which is looked at if it is time to; else null.
Store* watched_store();

inline Store* current_store() {
  Store* const store = __atomic_load_n(&process.store, __ATOMIC_ACQUIRE);
  return store != nullptr ? store : watched_store();
}

// Machine time in microseconds; 0 where the library is not initialised, and the call is about to say so.
inline std::uint64_t current_time_ns() {
  const Store* store = current_store();
  return store == nullptr ? 0 : machine_time_ns(store->clock);
}
inline std::uint64_t current_time_us() { return current_time_ns() / 1000; }

}  // namespace nvmlab::driver
