// SPDX-License-Identifier: Apache-2.0
// What libcuda.so.1 asks for; see drivers/common/engine_table.hpp.
#include "drivers/common/engine_table.hpp"

#include <cstring>

#include "drivers/nvml/hooks/mig.hpp"
#include "drivers/nvml/log.hpp"
#include "drivers/nvml/process.hpp"
#include "drivers/nvml/shapes/prologue.hpp"
#include "drivers/nvml/visible_gpus.hpp"
#include "engine/change/change.hpp"
#include "engine/store/real_process.hpp"
#include "engine/store/system.hpp"
#include "engine/topics/faults/fault_changes.hpp"
#include "engine/topics/generated/resets.hpp"
#include "engine/topics/load/load_changes.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab::driver {
namespace {

std::uint32_t open_engine(const Store** store) {
  const nvmlReturn_t code = hooks::nvmlInit_v2();
  if (code == NVML_SUCCESS) *store = current_store();
  return static_cast<std::uint32_t>(code);
}

std::uint32_t state_of(const Store& store, const GpuSlot& slot) {
  if (driver_is_gone(store) || !present(slot)) return NVML_ERROR_GPU_IS_LOST;
  return refusal_of(slot);
}

std::uint32_t count_mig_devices(const Store&, const GpuSlot& slot) {
  if (!partitioned(slot)) return 0;
  return consistent(slot, [](const Gpu& gpu) { return length_of(gpu.instances.compute_instances); });
}

bool describe_mig_device(const Store& store, const GpuSlot& slot, std::uint32_t position, MigDevice* device) {
  MigState state{};
  read_mig_state(store, slot, &state);
  if (!state.on || position >= state.layout.compute_instances) return false;
  const MigComputeInstance& instance = state.layout.compute_instance[position];
  const Device asked{const_cast<Store&>(store), slot, state.gpu, instance.gpu_instance, instance.id};
  MigDeviceFacts facts{};
  if (facts_of(asked, &facts) != NVML_SUCCESS) return false;
  *device = {instance.gpu_instance, instance.id, facts.multiprocessors, facts.memory_bytes, {}, {}};
  std::memcpy(device->name, facts.name.text, sizeof device->name);
  std::memcpy(device->uuid, uuid_of(slot, instance).text, sizeof device->uuid);
  return true;
}

std::uint32_t cuda_version_of_driver() {
  const auto ask = [](const Store& store, void* answer) {
    *static_cast<std::uint32_t*>(answer) = read_field(store.node, &Node::system, &System::cuda_version).value_or(0);
    return NVML_SUCCESS;
  };
  std::uint32_t version = 0;
  const bool known = ask_before_init(ask, &version) == NVML_SUCCESS;
  return known && version != 0 ? version : driver_release(row_before_init()).cuda;
}

// Nobody needs permission for what a process holds itself.
template <class Body>
std::uint32_t change_own(const Store& store, const GpuSlot& slot, const Body& body) {
  MachineAccess machine{const_cast<Store&>(store), process.file, true};
  return apply(machine, make_change(static_cast<std::uint32_t>(&slot - store.slots()), body)).code;
}

EndProcess own_process() { return {sys::process_id(), own_pid_namespace()}; }

std::uint32_t hold(const Store& store, const GpuSlot& slot, std::uint64_t bytes, const MigDevice* mig) {
  const EndProcess own = own_process();
  const std::uint32_t code = change_own(store, slot, ResizeProcess{own.pid, own.pid_namespace, bytes});
  if (code != kNotFound) return code;
  const RealProcess real = find_real_process(sys::process_id());
  StartProcess start{};
  start.pid = real.pid;
  start.kinds = kComputeProcess;
  start.used_bytes = bytes;
  start.start_ticks = real.start_ticks;
  start.pid_namespace = real.pid_namespace;
  start.gpu_instance = mig == nullptr ? kNoInstance : mig->gpu_instance;
  start.compute_instance = mig == nullptr ? kNoInstance : mig->compute_instance;
  return change_own(store, slot, start);
}

std::uint32_t let_go(const Store& store, const GpuSlot& slot) { return change_own(store, slot, own_process()); }

std::uint32_t work(const Store& store, const GpuSlot& slot, std::uint32_t percent) {
  SetLoad load{};
  load.kind = percent == 0 ? LoadKind::idle : LoadKind::training;
  load.sm_percent = percent;
  load.memory_percent = percent == 0 ? 0 : kOfKind;
  load.air_c = kSameAir;
  load.pid = own_process().pid;
  return change_own(store, slot, load);
}

std::uint32_t raise_xid(const Store& store, const GpuSlot& slot, std::uint32_t xid, const MigDevice* mig) {
  InjectFault fault{};
  fault.kind = FaultKind::xid;
  fault.number = xid;
  fault.gpu_instance = mig == nullptr ? kNoInstance : mig->gpu_instance;
  fault.compute_instance = mig == nullptr ? kNoInstance : mig->compute_instance;
  fault.times = 1;
  return change_own(store, slot, fault);
}

std::uint32_t engine_log_level() { return log_level(); }

void log_for(std::uint32_t level, const char* text) {
  Line line;
  line << text;
  if (level <= kLogErrors) return log_error(line);
  if (level == kLogInfo) return log_info(line);
  if (log_level() >= kTraceCalls) log_trace(line);
}

}  // namespace

const EngineTable* engine_table() {
  static constinit EngineTable table{};
  table = {sizeof table,
           kLayoutHash,
           open_engine,
           count_gpus,
           nth_gpu,
           state_of,
           count_mig_devices,
           describe_mig_device,
           cuda_version_of_driver,
           hold,
           let_go,
           work,
           raise_xid,
           engine_log_level,
           log_for};
  return &table;
}

}  // namespace nvmlab::driver
