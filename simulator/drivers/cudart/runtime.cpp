// SPDX-License-Identifier: Apache-2.0
#include "drivers/cudart/runtime.hpp"

#include "drivers/cudart/images.hpp"
#include "engine/store/lock.hpp"
#include "engine/store/system.hpp"

namespace nvmlab::cudart {
namespace {

constexpr int kMaxDevices = 1024;

ThreadLock lock;
std::uint32_t initialised = 0;  // sys::process_token() of the process that is
std::uint32_t resets = 0;
CUcontext primary[kMaxDevices] = {};

// A context of the runtime that another thread has reset is none any more.
bool stale(const Thread& thread, CUcontext current) {
  return current == thread.context && thread.generation != __atomic_load_n(&resets, __ATOMIC_ACQUIRE);
}

cudaError_t make_current(Thread& thread) {
  CUcontext context = nullptr;
  if (const cudaError_t code = primary_context(thread.device, &context); code != cudaSuccess) return code;
  if (const cudaError_t code = ask(driver()->cuCtxSetCurrent, context); code != cudaSuccess) return code;
  thread.context = context;
  thread.generation = __atomic_load_n(&resets, __ATOMIC_ACQUIRE);
  return cudaSuccess;
}

}  // namespace

cudaError_t initialise() {
  const std::uint32_t token = sys::process_token();
  if (__atomic_load_n(&initialised, __ATOMIC_ACQUIRE) == token) return cudaSuccess;
  const Driver* below = driver();
  int version = 0;
  if (below == nullptr || below->cuDriverGetVersion(&version) != CUDA_SUCCESS) return cudaErrorInsufficientDriver;
  if (version < kRuntimeVersion / 1000 * 1000) return cudaErrorInsufficientDriver;
  const cudaError_t code = error_of(below->cuInit(0));
  if (code == cudaSuccess) __atomic_store_n(&initialised, token, __ATOMIC_RELEASE);
  return code;
}

cudaError_t ready() {
  if (const cudaError_t code = initialise(); code != cudaSuccess) return code;
  CUcontext current = nullptr;
  if (const cudaError_t code = ask(driver()->cuCtxGetCurrent, &current); code != cudaSuccess) return code;
  Thread& thread = this_thread();
  return current != nullptr && !stale(thread, current) ? cudaSuccess : make_current(thread);
}

cudaError_t check_device(int device) {
  int count = 0;
  if (const cudaError_t code = ask(driver()->cuDeviceGetCount, &count); code != cudaSuccess) return code;
  return device >= 0 && device < count && device < kMaxDevices ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t current_device(int* device) {
  if (device == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t code = initialise(); code != cudaSuccess) return code;
  CUcontext current = nullptr;
  const Thread& thread = this_thread();
  if (ask(driver()->cuCtxGetCurrent, &current) == cudaSuccess && current != nullptr && !stale(thread, current))
    return ask(driver()->cuCtxGetDevice, device);
  *device = thread.device;
  return cudaSuccess;
}

cudaError_t choose_device(int device) {
  if (const cudaError_t code = initialise(); code != cudaSuccess) return code;
  if (const cudaError_t code = check_device(device); code != cudaSuccess) return code;
  Thread& thread = this_thread();
  thread.device = device;
  return make_current(thread);
}

cudaError_t primary_context(int device, CUcontext* context) {
  if (const cudaError_t code = check_device(device); code != cudaSuccess) return code;
  lock.lock();
  cudaError_t code = cudaSuccess;
  if (primary[device] == nullptr) code = ask(driver()->cuDevicePrimaryCtxRetain, &primary[device], device);
  *context = primary[device];
  lock.unlock();
  return code;
}

cudaError_t reset_device() {
  int device = 0;
  if (const cudaError_t code = current_device(&device); code != cudaSuccess) return code;
  lock.lock();
  const CUcontext ended = device < kMaxDevices ? primary[device] : nullptr;
  if (ended != nullptr) forget_loaded(ended);
  const cudaError_t code = ask(driver()->cuDevicePrimaryCtxReset_v2, device);
  if (ended != nullptr) primary[device] = nullptr;
  __atomic_fetch_add(&resets, 1, __ATOMIC_ACQ_REL);
  lock.unlock();
  Thread& thread = this_thread();
  thread.context = nullptr;
  thread.device = device;
  ask(driver()->cuCtxSetCurrent, CUcontext{});
  return code;
}

}  // namespace nvmlab::cudart
