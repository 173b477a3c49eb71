// SPDX-License-Identifier: Apache-2.0
#include "drivers/nvml/shapes/write.hpp"

namespace nvmlab::driver {
namespace {

// Where a change is put together before it is published; WriteLock keeps it to one thread at a time.
Gpu scratch;
Node node_scratch;

template <class State>
nvmlReturn_t change_slot(Store& store, const Latched<State>& published, State& draft,
                         nvmlReturn_t (*change)(State& state, const void* arguments), const void* arguments) {
  const WriteLock lock(&process.file);
  auto& slot = const_cast<Latched<State>&>(published);
  begin_change(slot, draft);
  const nvmlReturn_t code = change(draft, arguments);
  if (code != NVML_SUCCESS) return code;
  publish(slot, draft);
  announce(&store, process.file.fd >= 0);
  return NVML_SUCCESS;
}

}  // namespace

bool may_administrate() {
  switch (static_cast<Role>(__atomic_load_n(&process.role, __ATOMIC_RELAXED))) {
    case Role::root:
      return true;
    case Role::user:
      return false;
    case Role::actual:
      break;
  }
  return sys::effective_user() == 0;
}

nvmlReturn_t change_gpu(const Device& device, nvmlReturn_t (*change)(Gpu& gpu, const void* arguments),
                        const void* arguments) {
  if (!present(device.slot)) return NVML_ERROR_GPU_IS_LOST;  // removed since the caller's handle was looked at
  return change_slot(device.store, device.slot, scratch, change, arguments);
}

nvmlReturn_t change_node(Store& store, nvmlReturn_t (*change)(Node& node, const void* arguments),
                         const void* arguments) {
  return change_slot(store, store.node, node_scratch, change, arguments);
}

}  // namespace nvmlab::driver
