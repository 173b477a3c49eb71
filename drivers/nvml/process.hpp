// SPDX-License-Identifier: Apache-2.0
//
// What the library knows within one process: which store it reads, how often it was initialised, and what it was asked
// to log. One object, zero-initialised, without constructor; getters read only `store`, `driver` and `trace`.
#pragma once

#include <cstdint>

#include "binding/abi/abi.hpp"
#include "engine/machine/lock.hpp"
#include "engine/machine/store.hpp"

namespace nvmlab::driver {

using namespace nvml::abi;

// Whom a process stands for where NVML asks for root.
enum class Role : std::uint32_t { actual = 0, root = 1, user = 2 };

struct Process {
  // Null until nvmlInit and again after the last nvmlShutdown. Readers need no more than this one pointer.
  Store* store = nullptr;
  // Major version of the simulated driver, for functions that it does not have yet. 0: no machine has been looked at.
  std::uint32_t driver_major = 0;
  std::uint32_t trace = 0;  // log level; see log.hpp
  std::uint32_t role = 0;   // Role

  // Under `lock`.
  ThreadLock lock;
  std::uint32_t init_count = 0;
  StoreFile file;
  Store* kept = nullptr;  // the machine outlives nvmlShutdown, as a driver's state does
  std::uint64_t kept_size = 0;
};

extern Process process;

// Where the machine could not be had that would tell which driver it has.
inline constexpr std::uint32_t kUnknownDriver = ~std::uint32_t{0};

// For what a library tells before nvmlInit: asks the machine that nvmlInit would use, under the lock, and leaves the
// library as it is. Without a machine the code of nvmlInit.
nvmlReturn_t ask_before_init(nvmlReturn_t (*question)(const Store& store, void* context), void* context);

inline std::uint32_t log_level() { return __atomic_load_n(&process.trace, __ATOMIC_RELAXED); }

inline Store* current_store() { return __atomic_load_n(&process.store, __ATOMIC_ACQUIRE); }

}  // namespace nvmlab::driver
