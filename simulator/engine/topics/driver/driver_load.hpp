// SPDX-License-Identifier: Apache-2.0
//
// The kernel driver of a machine, which can be unloaded and loaded again while programs run, and made to fail. While it
// is not loaded there are no GPUs, and nvmlInit says why; when it is loaded it initialises each GPU anew, as ReturnGpu
// does. GPUs that were removed before stay removed.
//
// Both ways take several steps. The store says which way is being taken, and each GPU whether it went with the driver,
// so whoever writes next finishes what a killed writer has begun. Tests: tests/unit/changes/driver_load_test.cpp,
// tests/drivers/functions/driver_load_test.cpp.
#pragma once

#include "engine/state/code.hpp"
#include "engine/store/store.hpp"

namespace nvmlab {

enum class DriverPhase : std::uint32_t { loaded = 0, unloading = 1, unloaded = 2, loading = 3 };

inline DriverPhase driver_phase(const Store& store) {
  return static_cast<DriverPhase>(__atomic_load_n(&store.header.driver_phase, __ATOMIC_ACQUIRE));
}

// Differs once the driver was loaded again; handles of before are none then.
inline std::uint32_t driver_loads(const Store& store) {
  return __atomic_load_n(&store.header.driver_loads, __ATOMIC_ACQUIRE);
}

// What nvmlInit answers.
Code init_answer(const Store& store);

// rmmod nvidia. kInvalidState: it is not loaded. kInUse: processes or vGPUs run on a GPU or its persistence mode is on,
// unless `forced`: then the driver goes as if all that held it had been stopped. vGPUs end with it.
struct UnloadDriver {
  std::uint32_t forced;
};
// modprobe nvidia. kInvalidState: it is loaded.
struct LoadDriver {};
// What nvmlInit answers from now on, for whoever is not initialised; 0: it succeeds again.
struct FailInit {
  std::uint32_t code;
};

// What a change makes of the driver before anybody sees it. Used under the WriteLock.
class DriverEdit {
 public:
  explicit DriverEdit(Store& store) : store_(store), phase_(driver_phase(store)), init_code_(store.header.init_code) {}

  const Store& store() const { return store_; }
  DriverPhase phase() const { return phase_; }
  void take_way(DriverPhase way) { phase_ = way; }
  void fail_init(std::uint32_t code) { init_code_ = code; }

  // Notes which way is taken; finish_driver() goes it.
  void publish() const;

 private:
  Store& store_;
  DriverPhase phase_;
  std::uint32_t init_code_;
};

Code make(const UnloadDriver& change, DriverEdit& driver);
Code make(const LoadDriver& change, DriverEdit& driver);
Code make(const FailInit& change, DriverEdit& driver);

// Initialises an absent GPU, so that it is present.
struct GpuInitialiser {
  void (*initialise)(void* context, std::uint32_t index);
  void* context;
};

// Goes the way to its end that the store says was taken; does nothing otherwise. Only under the WriteLock.
void finish_driver(Store& store, const GpuInitialiser& initialiser);

}  // namespace nvmlab
