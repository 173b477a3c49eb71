// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/modules.hpp"

#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/modules/textures.hpp"
#include "drivers/cuda/process/attribute_sources.hpp"
#include "drivers/cuda/streams/work_threads.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<ModuleState, ObjectKind::module> modules;
constinit Pool<FunctionState, ObjectKind::function> functions;

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

constexpr std::uint32_t kMallocHeapSize = 2;                    // CU_LIMIT_MALLOC_HEAP_SIZE
constexpr std::uint64_t kLargestHeap = std::uint64_t{1} << 40;  // no device has so much; sums do not overflow

struct LoadUser {
  CUcontext context;
  std::uint64_t memory;
  CUresult code;
};

// Called by a thread of the library.
std::uint64_t allocate_variables(void* load, std::uint64_t bytes) {
  auto* const of = static_cast<LoadUser*>(load);
  const Locked lock;
  if (find_context(of->context) == nullptr) return 0;
  of->code = allocate(of->context, MemoryKind::device, bytes, 0, &of->memory);
  return of->code == CUDA_SUCCESS ? of->memory : 0;
}

void tell(JitOptions* options, CUresult code, const char* message) {
  options->tell(code, message);
  if (message[0] == '\0') return;
  driver::Line line;
  line << (code == CUDA_SUCCESS ? "module: " : "module refused: ") << message;
  log(code == CUDA_SUCCESS ? kLogInfo : kLogErrors, line);
}

CUresult begin_load(LoadUser* user, nvmlab_load* request) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  user->context = guard.handle();
  const std::uint64_t heap = guard.context().limits[kMallocHeapSize];
  request->heap_bytes = heap < kLargestHeap ? heap : kLargestHeap;
  request->target = capability_of(gpu_of(process.devices[guard.context().device]));
  return open_kernels() == nullptr ? CUDA_ERROR_SHARED_OBJECT_INIT_FAILED : CUDA_SUCCESS;
}

// A module that was read becomes an object of the process.
CUresult keep(const LoadUser& user, nvmlab_module* loaded, CUmodule* out) {
  std::uint64_t made = 0;
  ModuleState* module = modules.create(&made);
  if (module == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *module = {user.context, loaded, user.memory, nullptr, kernels()->kernel_count(loaded)};
  if (module->count != 0)
    module->functions = static_cast<CUfunction*>(sys::map_private(module->count * sizeof(CUfunction)));
  if (module->functions == nullptr) module->count = 0;
  *out = reinterpret_cast<CUmodule>(made);
  return CUDA_SUCCESS;
}

void drop(const ModuleState& module) {
  for (std::uint32_t i = 0; i < module.count; ++i) {
    const FunctionState* const function = find_function(module.functions[i]);
    if (function != nullptr && function->prepared != nullptr) sys::unmap(function->prepared, sizeof(PreparedLaunch));
    functions.remove(number(module.functions[i]));
  }
  if (module.functions != nullptr) sys::unmap(module.functions, module.count * sizeof(CUfunction));
  kernels()->unload(module.loaded);
}

CUresult take_out(CUmodule handle) {
  const ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  drop(*module);
  release_references_of(handle);
  if (module->memory != 0) release_allocation(module->memory, false);
  modules.remove(number(handle));
  return CUDA_SUCCESS;
}

}  // namespace

ModuleState* find_module(CUmodule handle) { return modules.find(number(handle)); }
FunctionState* find_function(CUfunction handle) { return functions.find(number(handle)); }

// Read without the lock of the process: kernels that run want it, and loading waits for them.
CUresult load_module(const void* image, JitOptions* options, CUmodule* out) {
  if (image == nullptr || out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  LoadUser user{nullptr, 0, CUDA_SUCCESS};
  nvmlab_load request{};
  if (const CUresult code = begin_load(&user, &request); code != CUDA_SUCCESS) return code;
  request.size = sizeof request;
  request.image = image;
  request.cuda = cuda_release();
  request.user = &user;
  request.allocate = allocate_variables;
  request.most_registers = options->most_registers();
  const auto code = static_cast<CUresult>(kernels()->load(&request));
  const Locked lock;
  tell(options, code, request.message);
  if (code != CUDA_SUCCESS) {
    if (user.memory != 0) release_allocation(user.memory, false);
    return code;
  }
  const CUresult kept =
      find_context(user.context) == nullptr ? no_context(user.context) : keep(user, request.module, out);
  if (kept != CUDA_SUCCESS) {
    if (user.memory != 0 && find_context(user.context) != nullptr) release_allocation(user.memory, false);
    kernels()->unload(request.module);
  }
  return kept;
}

CUresult unload_module(CUmodule handle) {
  return while_idle_in_context([&] { return take_out(handle); });
}

// A library is of no context: programs unload theirs when they end, and none is current any more.
CUresult unload_library(CUmodule handle) {
  return while_idle([&] { return take_out(handle); });
}

// The memory goes with the context's allocations.
void release_modules_of(CUcontext context) {
  modules.remove_where([context](const ModuleState& module) {
    if (module.context != context) return false;
    drop(module);
    return true;
  });
}

CUresult function_of(CUmodule handle, std::uint32_t index, CUfunction* out) {
  ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (index >= module->count) return CUDA_ERROR_NOT_FOUND;
  if (module->functions[index] == nullptr) {
    std::uint64_t made = 0;
    FunctionState* function = functions.create(&made);
    if (function == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
    *function = {handle, kernels()->nth_kernel(module->loaded, index), 0, -1, false, {}, nullptr};
    module->functions[index] = reinterpret_cast<CUfunction>(made);
  }
  *out = module->functions[index];
  return CUDA_SUCCESS;
}

}  // namespace nvmlab::cuda
