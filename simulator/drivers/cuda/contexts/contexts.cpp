// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/contexts/contexts.hpp"

#include "drivers/cuda/contexts/device_load.hpp"
#include "drivers/cuda/contexts/green_contexts.hpp"
#include "drivers/cuda/contexts/thread_contexts.hpp"
#include "engine/topics/ecc/ecc_rules.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<Context, ObjectKind::context> contexts;
std::uint64_t last_context_id = 0;

Primary primaries[kMaxVisibleDevices];

// What the process holds of each device, and how many contexts.
struct Held {
  std::uint64_t bytes;
  std::uint32_t contexts;
};
Held held[kMaxVisibleDevices];

// A GPU gives memory away in blocks of this size; a block holds many small allocations.
std::uint64_t in_blocks(std::uint64_t bytes) {
  constexpr std::uint64_t kBlock = std::uint64_t{2} << 20;
  return (bytes + kBlock - 1) / kBlock * kBlock;
}

std::uint64_t told_to_nvml(const Held& of) { return of.contexts * kContextBytes + in_blocks(of.bytes); }

// Only what NVML would see differs is said to it.
CUresult tell(std::uint32_t device, const Held& now) {
  const std::uint64_t bytes = told_to_nvml(now);
  if (bytes == told_to_nvml(held[device])) return CUDA_SUCCESS;
  const CudaGpu gpu = gpu_of(process.devices[device]);
  if (bytes == 0) {
    process.engine->let_go(gpu.store, gpu.slot);
    return CUDA_SUCCESS;
  }
  const bool whole = gpu.device.mig == kWholeGpu;
  const MigDevice mig = whole ? MigDevice{} : mig_of(gpu);
  switch (process.engine->hold(gpu.store, gpu.slot, bytes, whole ? nullptr : &mig)) {
    case kMemory:
      return CUDA_ERROR_OUT_OF_MEMORY;
    case kGpuIsLost:
      return CUDA_ERROR_UNKNOWN;
    default:  // who may not write to the machine, or finds no room in its list, works without being seen
      return CUDA_SUCCESS;
  }
}

// Whether the settings of the GPU let the process have a context.
CUresult may_create(const CudaGpu& gpu) {
  constexpr std::uint32_t kProhibited = 2;
  constexpr std::uint32_t kExclusiveProcess = 3;
  const std::uint32_t mode = read_field(gpu.slot, &Gpu::modes, &Modes::compute_mode).value_or(0);
  if (mode == kProhibited) return CUDA_ERROR_DEVICE_UNAVAILABLE;
  if (mode != kExclusiveProcess) return CUDA_SUCCESS;
  const std::uint32_t own = sys::process_id();
  const bool taken = consistent(gpu.slot, [own](const Gpu& state) {
    constexpr std::uint32_t kCompute = 1;
    bool other = false;
    for (std::uint32_t i = 0; i < length_of(state.processes.running); ++i) {
      const Processes::Process& each = state.processes.running.items[i];
      other = other || ((load(each.kinds).value & kCompute) != 0 && load(each.pid).value != own);
    }
    return other;
  });
  return taken ? CUDA_ERROR_DEVICE_UNAVAILABLE : CUDA_SUCCESS;
}

// Which process an error in memory hits is not known; those that are there when it happens lose their contexts.
std::uint64_t memory_errors(const CudaGpu& gpu) {
  return consistent(gpu.slot,
                    [](const Gpu& state) { return total_errors(state.ecc.uncorrected_volatile).value_or(0); });
}

std::uint64_t number(CUcontext handle) { return reinterpret_cast<std::uint64_t>(handle); }

// What a context has before anybody sets it; NVIDIA's programming guide names the first and the third.
void set_limits(Context& context) {
  context.limits[0] = 1024;
  context.limits[1] = 1 << 20;
  context.limits[2] = 8 << 20;
  context.limits[3] = 2;
  context.limits[4] = 2048;
  context.limits[5] = 64;
}

}  // namespace

Context* find_context(CUcontext handle) { return contexts.find(number(as_primary(handle))); }

CUresult no_context(CUcontext handle) {
  const bool was = contexts.was(number(handle)) || was_green(handle);
  return was ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult state_of_context(Context& context) {
  const CudaGpu gpu = gpu_of(process.devices[context.device]);
  if (const CUresult code = state_of(gpu); code != CUDA_SUCCESS) return code;
  if (context.fault == CUDA_SUCCESS && memory_errors(gpu) > context.errors)
    context.fault = CUDA_ERROR_ECC_UNCORRECTABLE;
  return context.fault;
}

Primary& primary_of(std::uint32_t device) { return primaries[device]; }

CUresult charge(std::uint32_t device, std::int64_t bytes) {
  Held now = held[device];
  now.bytes += static_cast<std::uint64_t>(bytes);
  if (const CUresult code = tell(device, now); code != CUDA_SUCCESS) return code;
  held[device] = now;
  return CUDA_SUCCESS;
}

CUresult create_context(std::uint32_t device, std::uint32_t flags, bool primary, CUcontext* handle) {
  const CudaGpu gpu = gpu_of(process.devices[device]);
  if (const CUresult code = state_of(gpu); code != CUDA_SUCCESS) return code;
  if (const CUresult code = may_create(gpu); code != CUDA_SUCCESS) return code;
  std::uint64_t made = 0;
  Context* context = contexts.create(&made);
  if (context == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  Held now = held[device];
  ++now.contexts;
  if (const CUresult code = tell(device, now); code != CUDA_SUCCESS) {
    contexts.remove(made);
    return code;
  }
  held[device] = now;
  context->device = device;
  context->flags = flags;
  context->users = 1;
  context->primary = primary;
  context->id = ++last_context_id;
  context->errors = memory_errors(gpu);
  set_limits(*context);
  *handle = reinterpret_cast<CUcontext>(made);
  return CUDA_SUCCESS;
}

bool is_last_context(std::uint32_t device) { return held[device].contexts == 1; }

void remove_context(CUcontext handle) {
  const std::uint32_t device = find_context(handle)->device;
  contexts.remove(number(handle));
  Held now = held[device];
  --now.contexts;
  if (now.contexts == 0) forget_load(device);
  tell(device, now);
  held[device] = now;
}

CurrentContext find_current() {
  if (in_host_function()) return {CUDA_ERROR_NOT_PERMITTED, nullptr, nullptr};
  const CUcontext handle = current_context();
  Context* const context = find_context(handle);
  if (context == nullptr)
    return {handle == nullptr ? CUDA_ERROR_INVALID_CONTEXT : no_context(handle), nullptr, nullptr};
  return {state_of_context(*context), handle, context};
}

CUcontext current_context() { return as_primary(current_handle()); }

CUcontext current_handle() {
  const ThreadContexts* own = thread_contexts();
  return own == nullptr || own->depth == 0 ? nullptr : own->stack[own->depth - 1];
}

bool push_context(CUcontext context) {
  ThreadContexts* own = thread_contexts();
  if (own == nullptr || own->depth == ThreadContexts::kDepth) return false;
  own->stack[own->depth++] = context;
  return true;
}

CUcontext pop_context() {
  ThreadContexts* own = thread_contexts();
  return own == nullptr || own->depth == 0 ? nullptr : own->stack[--own->depth];
}

bool set_context(CUcontext context) {
  ThreadContexts* own = thread_contexts();
  if (own == nullptr) return false;
  if (own->depth > 0) --own->depth;
  if (context != nullptr) own->stack[own->depth++] = context;
  return true;
}

bool in_host_function() {
  const ThreadContexts* own = thread_contexts();
  return own != nullptr && own->in_host_function;
}

void enter_host_function(bool enter) {
  if (ThreadContexts* own = thread_contexts()) own->in_host_function = enter;
}

}  // namespace nvmlab::cuda
