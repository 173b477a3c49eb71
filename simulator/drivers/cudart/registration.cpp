// SPDX-License-Identifier: Apache-2.0
// The functions that compiled programs call before and around main: what they hold is registered, the configuration of
// a launch is put aside. No public header declares most of them; every program that nvcc compiled for the shared
// runtime shows what it passes.
#include "drivers/cudart/export.hpp"
#include "drivers/cudart/images.hpp"

using namespace nvmlab::cudart;

namespace {

// A handle is a pointer to the image; programs do not look into it.
Image* image_of(void** handle) { return reinterpret_cast<Image*>(handle); }

cudaError_t kernel_of(cudaKernel_t* kernel, const void* host) {
  if (kernel == nullptr) return cudaErrorInvalidValue;
  Symbol* const symbol = find_symbol(host);
  if (symbol == nullptr || symbol->kind != SymbolKind::kernel) return cudaErrorInvalidDeviceFunction;
  *kernel = reinterpret_cast<cudaKernel_t>(symbol);  // of all devices, as programs of CUDA 13 keep it
  return cudaSuccess;
}

}  // namespace

namespace nvmlab::cudart::hooks {

cudaError_t cudaGetKernel(cudaKernel_t* kernelPtr, const void* entryFuncAddr) {
  return kernel_of(kernelPtr, entryFuncAddr);
}

}  // namespace nvmlab::cudart::hooks

extern "C" {

NVMLAB_EXPORT void** __cudaRegisterFatBinary(void* wrapper) {
  return reinterpret_cast<void**>(register_image(wrapper));
}

NVMLAB_EXPORT void __cudaRegisterFatBinaryEnd(void**) {}

NVMLAB_EXPORT void __cudaUnregisterFatBinary(void** handle) { unregister_image(image_of(handle)); }

NVMLAB_EXPORT void __cudaRegisterFunction(void** handle, const char* host, char*, const char* name, int, void*, void*,
                                          void*, void*, int*) {
  register_symbol(image_of(handle), SymbolKind::kernel, host, name, 0);
}

NVMLAB_EXPORT void __cudaRegisterVar(void** handle, char* host, char*, const char* name, int, std::size_t bytes, int,
                                     int) {
  register_symbol(image_of(handle), SymbolKind::variable, host, name, bytes);
}

NVMLAB_EXPORT void __cudaRegisterManagedVar(void** handle, void** host, char*, const char* name, int, std::size_t bytes,
                                            int, int) {
  register_symbol(image_of(handle), SymbolKind::managed, host, name, bytes);
}

NVMLAB_EXPORT void __cudaRegisterHostVar(void**, const char*, char*, std::size_t) {}

NVMLAB_EXPORT char __cudaInitModule(void** handle) {
  return finish(Function::__cudaInitModule, load_image(image_of(handle))) == cudaSuccess ? 1 : 0;
}

NVMLAB_EXPORT unsigned int __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  Thread& thread = this_thread();
  if (thread.depth == Thread::kNested) return cudaErrorInvalidConfiguration;
  thread.pushed[thread.depth++] = {grid, block, shared, static_cast<cudaStream_t>(stream)};
  return 0;
}

NVMLAB_EXPORT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  Thread& thread = this_thread();
  if (thread.depth == 0) return finish(Function::__cudaPopCallConfiguration, cudaErrorMissingConfiguration);
  const CallConfiguration& pushed = thread.pushed[--thread.depth];
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}

NVMLAB_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  return answer(Function::__cudaGetKernel, [&] { return kernel_of(kernel, host); });
}

NVMLAB_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                             std::size_t shared, cudaStream_t stream) {
  return answer(Function::__cudaLaunchKernel,
                [&] { return hooks::cudaLaunchKernel(kernel, grid, block, arguments, shared, stream); });
}

NVMLAB_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                                  std::size_t shared, cudaStream_t stream) {
  return answer(Function::__cudaLaunchKernel_ptsz,
                [&] { return hooks::cudaLaunchKernel(kernel, grid, block, arguments, shared, per_thread(stream)); });
}

}  // extern "C"
