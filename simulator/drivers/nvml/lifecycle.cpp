// SPDX-License-Identifier: Apache-2.0
//
// nvmlInit and nvmlShutdown are counted. The machine outlives the last nvmlShutdown as a driver's state does, so that a
// client that starts over finds what it set; it goes when the library is unloaded. Tests:
// tests/drivers/functions/lifecycle_test.cpp.
#include <cstring>

#include "drivers/nvml/config.hpp"
#include "drivers/nvml/embedded.hpp"
#include "drivers/nvml/generated/hooks.hpp"
#include "drivers/nvml/machine_source.hpp"
#include "drivers/nvml/overrides.hpp"
#include "drivers/nvml/process.hpp"
#include "drivers/nvml/shapes/prologue.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/change/ended_processes.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/driver/driver_load.hpp"

namespace nvmlab::driver {

Process process;

namespace {

std::uint64_t kept_config = 0;

std::uint32_t row_of(const Store& store) {
  return driver_row(read_field(store.node, &Node::system, &System::driver_version).data);
}

void let_go() {
  AttachedStore attached{process.kept, process.kept_size, process.file};
  if (process.kept != nullptr) detach_store(&attached);
  process.kept = nullptr;
  process.file = {};
}

bool same_file(const StoreFile& a, const StoreFile& b) {
  return a.shared() && b.shared() && a.device == b.device && a.inode == b.inode;
}

// Another thread may still be in a call that began before the last nvmlShutdown, so no machine is unmapped under it: of
// the same file the mapping stays, and another one becomes zeros, which are no GPUs.
void keep(AttachedStore& opened) {
  if (same_file(process.file, opened.file)) {
    detach_store(&opened);
    return;
  }
  if (process.kept != nullptr) sys::map_zeros(process.kept, process.kept_size);
  process.kept = opened.store;
  process.kept_size = opened.size;
  process.file = opened.file;
}

// Leaves the machine that the environment asks for in `process.kept`.
nvmlReturn_t find_machine(const Config& config) {
  const std::uint64_t wanted = fingerprint(config);
  // A private machine is found as it was left; a shared one may have been taken down and up again.
  const bool reuse = config.good && process.kept != nullptr && !process.file.shared() && wanted == kept_config;
  if (!reuse) {
    AttachedStore opened;
    const nvmlReturn_t code = open_machine(config, &opened);
    if (code != NVML_SUCCESS) {
      if (process.driver_row == kNoRow)
        __atomic_store_n(&process.driver_row, driver_row(nvmlab_library_driver), __ATOMIC_RELAXED);
      return code;
    }
    keep(opened);
    kept_config = wanted;
  }
  __atomic_store_n(&process.driver_row, row_of(*process.kept), __ATOMIC_RELAXED);
  if (const Code code = init_answer(*process.kept); code != kSuccess) return static_cast<nvmlReturn_t>(code);
  __atomic_store_n(&process.driver_loads, driver_loads(*process.kept), __ATOMIC_RELAXED);
  MachineAccess machine{*process.kept, process.file, true};  // that a process has ended, nobody needs permission for
  if (process.file.shared()) settle_processes(machine);
  __atomic_store_n(&process.role, static_cast<std::uint32_t>(config.role), __ATOMIC_RELAXED);
  __atomic_store_n(&process.strict, config.strict, __ATOMIC_RELAXED);
  __atomic_store_n(&process.gpu_count, machine.gpu_count(), __ATOMIC_RELAXED);
  note_hidden_gpus(*process.kept);
  return NVML_SUCCESS;
}

nvmlReturn_t first_init() {
  const Config config = read_config();
  if (config.good && config.init_error != 0) return static_cast<nvmlReturn_t>(config.init_error);
  const nvmlReturn_t code = find_machine(config);
  if (code != NVML_SUCCESS) return code;
  if (watch_overrides(config)) {
    begin_watching(process.kept);
    return code;
  }
  __atomic_store_n(&process.store, process.kept, __ATOMIC_RELEASE);
  if (!calls_are_told()) __atomic_store_n(&process.fast_store, process.kept, __ATOMIC_RELEASE);
  return code;
}

void forget_gpus() {
  for (std::uint32_t i = 0; i < kKnownHandles; ++i)
    __atomic_store_n(&process.known.handle[i], nobodys_handle(i), __ATOMIC_RELEASE);
}

nvmlReturn_t init_once() {
  process.lock.lock();
  nvmlReturn_t code = NVML_SUCCESS;
  if (process.init_count == 0) code = first_init();
  if (code == NVML_SUCCESS) ++process.init_count;
  process.lock.unlock();
  return code;
}

void shut_down_once() {
  process.lock.lock();
  if (process.init_count > 0) {
    --process.init_count;
    if (process.init_count == 0) {
      forget_gpus();
      end_watching();
      __atomic_store_n(&process.fast_store, nullptr, __ATOMIC_RELEASE);
      __atomic_store_n(&process.store, nullptr, __ATOMIC_RELEASE);
    }
  }
  process.lock.unlock();
}

// The fault of a function lies in the machine, which is there once init has succeeded; it is met without the lock, so
// that no other thread hangs with a call that does.
nvmlReturn_t meet_faults_of(Function function) {
  const Store* store = current_store();
  return store == nullptr || !functions_have_faults(*store) ? NVML_SUCCESS : meet_faults(function, *store);
}

nvmlReturn_t init(Function function) {
  nvmlReturn_t code = init_once();
  if (code != NVML_SUCCESS) return code;
  code = meet_faults_of(function);
  if (code != NVML_SUCCESS) shut_down_once();
  return code;
}

// Unloading. At exit, other threads may still be in a call, and the system takes the memory back by itself, so a
// library that is still initialised is left alone.
__attribute__((destructor)) void unload() {
  if (process.init_count > 0) return;
  let_go();
  sys::release_token();
}

}  // namespace

// Under the lock, so that nothing is remembered of a machine that another thread has just let go of. Who does not get
// it at once, in a signal handler perhaps, comes again.
void remember_gpu(const Store& store, const GpuSlot& slot) {
  const std::uint64_t handle = __atomic_load_n(&slot.handle, __ATOMIC_ACQUIRE);
  if (handle <= absent_handle(0)) return;  // it went meanwhile, and what lies there now leads elsewhere
  const std::uint64_t*& entry = process.known.handle[handle % kKnownHandles];
  const auto free = [&] {
    return __atomic_load_n(&process.fast_store, __ATOMIC_ACQUIRE) == &store &&
           __atomic_load_n(&entry, __ATOMIC_RELAXED) == nobodys_handle(handle);
  };
  if (!free() || !process.lock.lock_until(0)) return;
  if (free()) __atomic_store_n(&entry, &slot.handle, __ATOMIC_RELEASE);
  process.lock.unlock();
}

nvmlReturn_t ask_before_init(nvmlReturn_t (*question)(const Store& store, void* context), void* context) {
  process.lock.lock();
  nvmlReturn_t code = NVML_SUCCESS;
  if (process.init_count == 0) code = find_machine(read_config());
  if (code == NVML_SUCCESS) code = question(*process.kept, context);
  process.lock.unlock();
  return code;
}

std::uint32_t row_before_init() {
  if (simulated_row() == kNoRow) ask_before_init([](const Store&, void*) { return NVML_SUCCESS; }, nullptr);
  return simulated_row();
}

namespace hooks {

// A leak that no header declares. Without a driver it answers this number of the kernel module's own in drivers 460 to
// 525, before init as after (tests/drivers/oracle); what it does with one, nobody can see.
// NOLINTNEXTLINE(clang-analyzer-optin.core.EnumCastOutOfRange): no enumerator, as said
nvmlReturn_t nvmlRetry_NvRmControl() { return static_cast<nvmlReturn_t>(89); }

nvmlReturn_t nvmlInit_v2() { return init(Function::nvmlInit_v2); }

// Flags are hints about GPUs that are not there or are not to be attached; they do not change what a simulated node
// has.
nvmlReturn_t nvmlInitWithFlags(unsigned int) { return init(Function::nvmlInitWithFlags); }

// Without init before it, real drivers from 340 to 555 answer success.
nvmlReturn_t nvmlShutdown() {
  const nvmlReturn_t code = meet_faults_of(Function::nvmlShutdown);
  if (code == NVML_SUCCESS) shut_down_once();
  return code;
}

}  // namespace hooks
}  // namespace nvmlab::driver
