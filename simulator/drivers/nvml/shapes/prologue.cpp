// SPDX-License-Identifier: Apache-2.0
// What the prologue does off the fast path: once for all functions, as nobody waits for it.
#include "drivers/nvml/shapes/prologue.hpp"

#include "drivers/nvml/shapes/call.hpp"
#include "engine/change/change.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/events/event_types.hpp"
#include "engine/topics/faults/faulty_calls.hpp"

namespace nvmlab::driver {
namespace {

CallCounts counts;

// Of who may only read the machine, the call alone fails.
void befall(Store& store, const Befallen& befallen) {
  const auto kind = static_cast<FaultKind>(befallen.fault - 1);
  const FaultRow* const row = find_fault(kind);
  if (row == nullptr) return;
  MachineAccess machine{store, process.file, true};
  const bool told = befallen.xid == 0 || tells_of(*row, befallen.xid);
  const RaiseEvent xid{kXidEvent, befallen.xid, kNoInstance, kNoInstance, false};
  if (!told) (void)apply(machine, make_change(befallen.gpu, xid));
  (void)apply(machine, make_change(befallen.gpu, InjectFault{kind, 0, kNoInstance, kNoInstance, 1}));
}

nvmlReturn_t meet(const Store& store, const FaultyCall& call) {
  // Faults are found in a store that is only read; what is counted for all processes is written where one may.
  const CalledStore called{const_cast<Store&>(store), process.file.shared(),
                           !process.file.shared() || process.file.writable};
  Befallen befallen;
  const Code code = meet_function_faults(called, call, counts, befallen);
  if (befallen.fault != 0) befall(called.store, befallen);
  return static_cast<nvmlReturn_t>(code);
}

// Whether a handle is of a GPU, which may refuse all calls, or of something that may be one of its MIG devices.
bool names_gpu(const Store& store, std::uint64_t handle, std::uint32_t* gpu) {
  if (is_of_kind(handle, HandleKind::mig_device)) {
    *gpu = instance_gpu(handle);
    return *gpu < gpu_count(store);
  }
  *gpu = handle_index(handle);
  return *gpu < gpu_count(store) && handle != 0 && handle_of(store.gpus()[*gpu]) == handle;
}

}  // namespace

[[gnu::cold]] nvmlReturn_t refused(Function function, nvmlReturn_t answer) {
  if (!__atomic_load_n(&process.strict, __ATOMIC_RELAXED)) return answer;
  Line line;
  line << "MOCK_NVML_STRICT: " << name_of(function)
       << "() is not simulated (docs/reference/generated/coverage.md), so the process ends here; without the variable "
          "it "
          "answers "
       << static_cast<std::uint64_t>(answer);
  log_error(line);
  sys::end_process();
}

[[gnu::cold]] nvmlReturn_t meet_faults(Function function, const Store& store) {
  return meet(store, {.function = name_of(function)});
}

[[gnu::cold]] nvmlReturn_t meet_faults_of_gpu(Function function, const Store& store, const GpuSlot& slot) {
  const auto index = static_cast<std::uint32_t>(&slot - store.slots());
  return meet(store, {.function = name_of(function), .gpu = index, .gpu_alone = true});
}

nvmlReturn_t meet_faults(const char* slot, nvmlDevice_t device) {
  const Store* const store = current_store();
  if (store == nullptr || !functions_have_faults(*store)) return NVML_SUCCESS;
  FaultyCall call{.function = slot};
  // A handle of nothing is for the function to refuse.
  if (device != nullptr && !names_gpu(*store, reinterpret_cast<std::uint64_t>(device), &call.gpu)) return NVML_SUCCESS;
  return meet(*store, call);
}

[[gnu::cold]] nvmlReturn_t reach_device(Function function, const Store& store, nvmlDevice_t device,
                                        const Target& target, Subject* subject) {
  const auto handle = reinterpret_cast<std::uint64_t>(device);
  if (std::uint32_t gpu = 0; functions_have_faults(store) && names_gpu(store, handle, &gpu)) {
    const nvmlReturn_t code = meet(store, {.function = name_of(function), .gpu = gpu});
    if (code != NVML_SUCCESS) return code;
  }
  if (const nvmlReturn_t code = find_subject(store, device, target, subject); code != NVML_SUCCESS) return code;
  remember_gpu(store, *subject->slot);
  return NVML_SUCCESS;
}

}  // namespace nvmlab::driver
