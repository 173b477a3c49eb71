// SPDX-License-Identifier: Apache-2.0
//
// What every export does first, in this order:
//
//   1. initialised?            NVML_ERROR_UNINITIALIZED, before any argument is looked at, as real drivers do
//   2. in this driver version? NVML_ERROR_FUNCTION_NOT_FOUND
//   3. arguments               null pointers: INVALID_ARGUMENT; struct versions: ARGUMENT_VERSION_MISMATCH
//   4. handle                  foreign, stale or damaged: INVALID_ARGUMENT
//   5. faults                  of the function: it hangs, is slow, or answers a code; of the GPU: GPU_IS_LOST,
//                              RESET_REQUIRED
//   6. supported               what the board lacks: the code of its field, mostly NOT_SUPPORTED; what MIG devices and
//                              GPUs that are cut into such refuse (mig_target.hpp)
//   7. range                   enumerators, indices and values that are none: INVALID_ARGUMENT
//   8. permission              NO_PERMISSION
//
// and, last, the trace. Getters of a GPU that the process knows take 1, 4, 5 and the trace in one comparison
// (known_handle()). This file has 1, 2, 4 and 5; shapes/call.hpp and outputs.hpp have 3; gates.hpp has 6 to 8 for
// verdicts that read, whose parts the generator puts in this order. Tests: tests/drivers/functions/prologue_test.cpp,
// function_fault_test.cpp.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>

#include "drivers/nvml/generated/functions.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/process.hpp"
#include "drivers/nvml/shapes/mig_target.hpp"
#include "drivers/nvml/shapes/reset_required.hpp"
#include "engine/topics/driver/driver_load.hpp"

namespace nvmlab::driver {

// One simulated GPU as hooks see it, or one of its MIG devices where the function is one that they answer themselves.
struct Device {
  Store& store;
  const GpuSlot& slot;
  std::uint32_t index = 0;  // of the GPU
  std::uint32_t gpu_instance = kNoInstance;
  std::uint32_t compute_instance = kNoInstance;

  bool is_mig() const { return compute_instance != kNoInstance; }
};
inline Device device_of(Store& store, const Subject& subject) {
  return {store, *subject.slot, subject.index, subject.gpu_instance, subject.compute_instance};
}

template <Function F>
inline bool present() {
  return present_in_simulated_driver<presence_of(F), kEveryDriver>();
}

// Steps 1 and 2. Null: `code` says why.
template <Function F>
inline Store* enter(nvmlReturn_t& code) {
  Store* store = current_store();
  if (store == nullptr) [[unlikely]] {
    code = NVML_ERROR_UNINITIALIZED;
    return nullptr;
  }
  if (!present<F>()) [[unlikely]] {
    code = NVML_ERROR_FUNCTION_NOT_FOUND;
    return nullptr;
  }
  code = NVML_SUCCESS;
  return store;
}

// Steps 1 and 2 where nothing stands against a call and nobody traces it; else null.
template <Function F>
[[gnu::always_inline]] inline const Store* enter_fast_path() {
  const Store* store = __atomic_load_n(&process.fast_store, __ATOMIC_ACQUIRE);
  return store != nullptr && present<F>() ? store : nullptr;
}

// Whether the driver that this process has initialised is gone: the machine was taken down, or its driver unloaded, be
// it loaded again.
inline bool driver_is_gone(const Store& store) {
  return taken_down(store) || driver_phase(store) != DriverPhase::loaded ||
         driver_loads(store) != __atomic_load_n(&process.driver_loads, __ATOMIC_RELAXED);
}

// What an index or a key is answered with that names no GPU: its driver is gone, or it never did.
inline nvmlReturn_t no_device(const Store& store) {
  return driver_is_gone(store) ? NVML_ERROR_GPU_IS_LOST : NVML_ERROR_INVALID_ARGUMENT;
}
// The same of a handle, whose GPU may refuse all calls.
inline nvmlReturn_t no_device(const Store& store, nvmlDevice_t device) {
  const GpuSlot* slot = find_refusing_gpu(store, gpu_count(store), reinterpret_cast<std::uint64_t>(device));
  return slot == nullptr ? no_device(store) : static_cast<nvmlReturn_t>(refusal_of(*slot));
}

// Step 4.
inline const GpuSlot* device_slot(const Store& store, nvmlDevice_t device) {
  return find_gpu(store, gpu_count(store), reinterpret_cast<std::uint64_t>(device));
}

// Steps 4 and 5 of a handle that is none of a GPU which the process knows, or that some fault concerns, and what MIG
// refuses; from now on it knows the GPU.
nvmlReturn_t reach_device(Function function, const Store& store, nvmlDevice_t device, const Target& target,
                          Subject* subject);

// Step 5 of a call about no GPU, and what is left of it where that found one.
nvmlReturn_t meet_faults(Function function, const Store& store);
nvmlReturn_t meet_faults_of_gpu(Function function, const Store& store, const GpuSlot& slot);
// Of a call through the internal table, by the name of its slot; `device` is null where it is about none.
nvmlReturn_t meet_faults(const char* slot, nvmlDevice_t device);

// The place of the handle of the GPU that this process knows by such a one; another handle lies there where it is not
// good, NVML is not initialised, calls are traced, or nobody has asked for the GPU yet.
[[gnu::always_inline]] inline const std::uint64_t* known_handle(nvmlDevice_t device) {
  const std::uint64_t place = reinterpret_cast<std::uint64_t>(device) % kKnownHandles;
  return __atomic_load_n(&process.known.handle[place], __ATOMIC_ACQUIRE);
}
[[gnu::always_inline]] inline bool is_handle(const std::uint64_t* place, nvmlDevice_t device) {
  return is_still(*place, reinterpret_cast<std::uint64_t>(device));
}
// Of the place of a handle that is one.
[[gnu::always_inline]] inline const GpuSlot& slot_of(const std::uint64_t* handle) {
  static_assert(offsetof(GpuSlot, handle) == 0);
  return *reinterpret_cast<const GpuSlot*>(handle);
}

// The arguments of a call, as the caller passed them. Hooks take them, and the trace prints each as a word.
template <class... Arguments>
struct Args {
  static constexpr bool kOfDevice = false;
  std::tuple<Arguments...> values;
};
template <class... Rest>
struct Args<nvmlDevice_t, Rest...> {
  static constexpr bool kOfDevice = true;
  std::tuple<nvmlDevice_t, Rest...> values;
  nvmlDevice_t device() const { return std::get<0>(values); }
};
template <class... Arguments>
[[gnu::always_inline]] inline Args<Arguments...> args(Arguments... each) {
  return {{each...}};
}

template <class Argument>
std::uint64_t trace_word(Argument argument) {
  if constexpr (std::is_pointer_v<Argument>) {
    return reinterpret_cast<std::uintptr_t>(argument);
  } else if constexpr (std::is_class_v<Argument>) {
    return 0;
  } else {
    return static_cast<std::uint64_t>(argument);
  }
}
// Writes the lines of a call, and gives back its code.
nvmlReturn_t told_of(Function function, nvmlReturn_t code, const std::uint64_t* arguments);
void told_of(const char* name, const char* parameters, nvmlReturn_t code, const std::uint64_t* arguments);

template <class... Words>
[[gnu::noinline, gnu::cold]] nvmlReturn_t trace_call(Function function, nvmlReturn_t code, Words... words) {
  const std::uint64_t arguments[] = {words..., 0};
  return told_of(function, code, arguments);
}

// The last step: the trace.
template <Function F, class... Arguments>
[[gnu::always_inline]] inline nvmlReturn_t finish(const Args<Arguments...>& call, nvmlReturn_t code) {
  if (!calls_are_told()) [[likely]]
    return code;
  return std::apply(
      [code](Arguments... each) __attribute__((always_inline)) { return trace_call(F, code, trace_word(each)...); },
      call.values);
}

}  // namespace nvmlab::driver
