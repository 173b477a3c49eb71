// SPDX-License-Identifier: Apache-2.0
// Modules and libraries: loading them, what they hold. Tests: tests/drivers/cuda/modules_test.cpp.
#include "drivers/cuda/modules/modules.hpp"

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/modules/image_file.hpp"

namespace nvmlab::cuda {
namespace {

CUresult load(const void* image, unsigned count, const CUjit_option* options, void** values, CUmodule* out) {
  JitOptions read;
  return read.read(count, options, values) ? load_module(image, &read, out) : CUDA_ERROR_INVALID_VALUE;
}

CUresult load_file(const char* path, unsigned count, const CUjit_option* options, void** values, CUmodule* out) {
  return with_image_file(path,
                         [&](const char* image, std::uint64_t) { return load(image, count, options, values, out); });
}

CUresult find(CUmodule handle, const char* name, CUfunction* out) {
  if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  const std::int64_t index = kernels()->find_kernel(module->loaded, name);
  return index < 0 ? CUDA_ERROR_NOT_FOUND : function_of(handle, static_cast<std::uint32_t>(index), out);
}

CUresult count_of(CUmodule handle, unsigned* out) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *out = module->count;
  return CUDA_SUCCESS;
}

CUresult enumerate(CUmodule handle, CUfunction* out, unsigned most) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  const ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  for (unsigned i = 0; i < most && i < module->count; ++i) {
    if (const CUresult code = function_of(handle, i, &out[i]); code != CUDA_SUCCESS) return code;
  }
  return CUDA_SUCCESS;
}

CUmodule as_module(CUlibrary library) { return reinterpret_cast<CUmodule>(library); }

CUresult variable(CUdeviceptr* dptr, size_t* bytes, CUmodule handle, const char* name, bool managed) {
  if (name == nullptr || (dptr == nullptr && bytes == nullptr)) return CUDA_ERROR_INVALID_VALUE;
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const ModuleState* module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  nvmlab_variable found{};
  if (kernels()->find_variable(module->loaded, name, &found) != 0 || (managed && found.managed == 0))
    return CUDA_ERROR_NOT_FOUND;
  if (dptr != nullptr) *dptr = found.address;
  if (bytes != nullptr) *bytes = found.bytes;
  return CUDA_SUCCESS;
}

}  // namespace

namespace hooks {

CUresult cuModuleLoad(CUmodule* module, const char* fname) { return load_file(fname, 0, nullptr, nullptr, module); }
CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load(image, 0, nullptr, nullptr, module); }
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned int numOptions, CUjit_option* options,
                            void** optionValues) {
  return load(image, numOptions, options, optionValues, module);
}
CUresult cuModuleLoadFatBinary(CUmodule* module, const void* fatCubin) {
  return load(fatCubin, 0, nullptr, nullptr, module);
}
CUresult cuModuleUnload(CUmodule hmod) { return unload_module(hmod); }

CUresult cuModuleGetFunction(CUfunction* hfunc, CUmodule hmod, const char* name) { return find(hmod, name, hfunc); }
CUresult cuModuleGetFunctionCount(unsigned int* count, CUmodule mod) { return count_of(mod, count); }
CUresult cuModuleEnumerateFunctions(CUfunction* functions, unsigned int numFunctions, CUmodule mod) {
  return enumerate(mod, functions, numFunctions);
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* dptr, size_t* bytes, CUmodule hmod, const char* name) {
  return variable(dptr, bytes, hmod, name, false);
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option* jitOptions, void** jitOptionsValues,
                           unsigned int numJitOptions, CUlibraryOption*, void**, unsigned int) {
  return load(code, numJitOptions, jitOptions, jitOptionsValues, reinterpret_cast<CUmodule*>(library));
}
CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* fileName, CUjit_option* jitOptions,
                               void** jitOptionsValues, unsigned int numJitOptions, CUlibraryOption*, void**,
                               unsigned int) {
  return load_file(fileName, numJitOptions, jitOptions, jitOptionsValues, reinterpret_cast<CUmodule*>(library));
}
CUresult cuLibraryUnload(CUlibrary library) { return unload_library(as_module(library)); }
CUresult cuLibraryGetKernel(CUkernel* pKernel, CUlibrary library, const char* name) {
  return find(as_module(library), name, reinterpret_cast<CUfunction*>(pKernel));
}
CUresult cuLibraryGetModule(CUmodule* pMod, CUlibrary library) {
  if (pMod == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  if (find_module(as_module(library)) == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *pMod = as_module(library);
  return CUDA_SUCCESS;
}
CUresult cuLibraryGetGlobal(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return cuModuleGetGlobal_v2(dptr, bytes, as_module(library), name);
}
CUresult cuLibraryGetManaged(CUdeviceptr* dptr, size_t* bytes, CUlibrary library, const char* name) {
  return variable(dptr, bytes, as_module(library), name, true);
}
// Functions that host and GPU call at one address: no simulated board has them (UNIFIED_FUNCTION_POINTERS).
CUresult cuLibraryGetUnifiedFunction(void** fptr, CUlibrary library, const char* symbol) {
  if (fptr == nullptr || symbol == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const Locked lock;
  return find_module(as_module(library)) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_NOT_FOUND;
}
CUresult cuLibraryGetKernelCount(unsigned int* count, CUlibrary lib) { return count_of(as_module(lib), count); }
CUresult cuLibraryEnumerateKernels(CUkernel* into, unsigned int numKernels, CUlibrary lib) {
  return enumerate(as_module(lib), reinterpret_cast<CUfunction*>(into), numKernels);
}

}  // namespace hooks
}  // namespace nvmlab::cuda
