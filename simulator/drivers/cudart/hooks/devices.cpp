// SPDX-License-Identifier: Apache-2.0
// Devices: which there are, which the thread uses, what they are. Tests: tests/drivers/cudart/devices_test.cpp.
#include <cstddef>
#include <cstring>

#include "drivers/cudart/generated/hooks.hpp"
#include "drivers/cudart/properties.hpp"
#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {
namespace {

// How much of what a program asks for a device has; zeros ask for nothing.
template <class P>
int wishes_met(const P& asked, const P& has) {
  int met = 0;
  const auto count = [&met](bool wished, bool is) { met += wished && is ? 1 : 0; };
  count(asked.name[0] != '\0', std::strncmp(asked.name, has.name, sizeof has.name) == 0);
  count(asked.major > 0 || asked.minor > 0,
        has.major > asked.major || (has.major == asked.major && has.minor >= asked.minor));
  count(asked.totalGlobalMem > 0, has.totalGlobalMem >= asked.totalGlobalMem);
  count(asked.multiProcessorCount > 0, has.multiProcessorCount >= asked.multiProcessorCount);
  count(asked.sharedMemPerBlock > 0, has.sharedMemPerBlock >= asked.sharedMemPerBlock);
  count(asked.pciBusID > 0 || asked.pciDomainID > 0,
        has.pciBusID == asked.pciBusID && has.pciDomainID == asked.pciDomainID);
  return met;
}

template <class P>
cudaError_t choose_by(const P& asked, int* device) {
  int count = 0;
  int most = -1;
  cudaError_t code = with_driver([&](const Driver& below) { return ask(below.cuDeviceGetCount, &count); });
  for (int i = 0; i < count && code == cudaSuccess; ++i) {
    P has;
    code = read_properties(i, &has);
    const int met = code == cudaSuccess ? wishes_met(asked, has) : -1;
    if (met <= most) continue;
    most = met;
    *device = i;
  }
  return code == cudaSuccess && most < 0 ? cudaErrorNoDevice : code;
}

}  // namespace

namespace hooks {

cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* prop) {
  if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
  if (kRuntimeVersion >= 13000) return choose_by(*reinterpret_cast<const Properties13*>(prop), device);
  return choose_by(*reinterpret_cast<const Properties12*>(prop), device);
}

cudaError_t cudaGetDeviceCount(int* count) {
  if (count == nullptr) return cudaErrorInvalidValue;
  *count = 0;
  return with_driver([&](const Driver& below) { return ask(below.cuDeviceGetCount, count); });
}

cudaError_t cudaGetDevice(int* device) { return current_device(device); }
cudaError_t cudaSetDevice(int device) { return choose_device(device); }

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags) {
  constexpr unsigned kFlagsAreValid = 1;
  return with_driver([&](const Driver& below) {
    cudaError_t code = check_device(device);
    if (code == cudaSuccess && (flags & kFlagsAreValid) != 0)
      code = ask(below.cuDevicePrimaryCtxSetFlags_v2, device, deviceFlags);
    CUcontext context = nullptr;
    return code == cudaSuccess ? primary_context(device, &context) : code;
  });
}

cudaError_t cudaSetValidDevices(int* device_arr, int len) {
  return with_driver([&](const Driver&) {
    if (len < 0 || (len > 0 && device_arr == nullptr)) return cudaErrorInvalidValue;
    for (int i = 0; i < len; ++i) {
      if (const cudaError_t code = check_device(device_arr[i]); code != cudaSuccess) return code;
    }
    Thread& thread = this_thread();
    if (len > 0 && thread.context == nullptr) thread.device = device_arr[0];
    return cudaSuccess;
  });
}

cudaError_t cudaSetDeviceFlags(unsigned int flags) {
  int device = 0;
  const cudaError_t code = current_device(&device);
  return code == cudaSuccess ? ask(driver()->cuDevicePrimaryCtxSetFlags_v2, device, flags) : code;
}

cudaError_t cudaGetDeviceFlags(unsigned int* flags) {
  if (flags == nullptr) return cudaErrorInvalidValue;
  int device = 0;
  int active = 0;
  const cudaError_t code = current_device(&device);
  return code == cudaSuccess ? ask(driver()->cuDevicePrimaryCtxGetState, device, flags, &active) : code;
}

cudaError_t cudaGetDeviceProperties_v2(cudaDeviceProp* prop, int device) {
  return prop == nullptr ? cudaErrorInvalidValue : read_properties(device, reinterpret_cast<Properties12*>(prop));
}

// In libcudart.so.12 the name is of programs of CUDA 11, whose struct is the shorter one.
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* prop, int device) {
  if (prop == nullptr) return cudaErrorInvalidValue;
  if (kRuntimeVersion >= 13000) return read_properties(device, reinterpret_cast<Properties13*>(prop));
  Properties12 whole;
  const cudaError_t code = read_properties(device, &whole);
  if (code == cudaSuccess) std::memcpy(static_cast<void*>(prop), &whole, offsetof(Properties12, hostRegisterSupported));
  return code;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attr, int device) {
  if (value == nullptr) return cudaErrorInvalidValue;
  return with_driver([&](const Driver& below) {
    const cudaError_t code = check_device(device);
    return code == cudaSuccess ? ask(below.cuDeviceGetAttribute, value, static_cast<int>(attr), device) : code;
  });
}

cudaError_t cudaDeviceGetByPCIBusId(int* device, const char* pciBusId) {
  return with_driver([&](const Driver& below) { return ask(below.cuDeviceGetByPCIBusId, device, pciBusId); });
}

cudaError_t cudaDeviceGetPCIBusId(char* pciBusId, int len, int device) {
  return with_driver([&](const Driver& below) { return ask(below.cuDeviceGetPCIBusId, pciBusId, len, device); });
}

cudaError_t cudaDeviceReset() { return reset_device(); }
cudaError_t cudaThreadExit() { return reset_device(); }

cudaError_t cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice) {
  return with_driver(
      [&](const Driver& below) { return ask(below.cuDeviceCanAccessPeer, canAccessPeer, device, peerDevice); });
}

cudaError_t cudaDeviceGetP2PAttribute(int* value, cudaDeviceP2PAttr attr, int srcDevice, int dstDevice) {
  return with_driver([&](const Driver& below) {
    return ask(below.cuDeviceGetP2PAttribute, value, static_cast<int>(attr), srcDevice, dstDevice);
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags) {
  return with_context([&](const Driver& below) {
    CUcontext peer = nullptr;
    const cudaError_t code = primary_context(peerDevice, &peer);
    return code == cudaSuccess ? ask(below.cuCtxEnablePeerAccess, peer, flags) : code;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peerDevice) {
  return with_context([&](const Driver& below) {
    CUcontext peer = nullptr;
    const cudaError_t code = primary_context(peerDevice, &peer);
    return code == cudaSuccess ? ask(below.cuCtxDisablePeerAccess, peer) : code;
  });
}

cudaError_t cudaSetDoubleForDevice(double* d) { return d == nullptr ? cudaErrorInvalidValue : cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double* d) { return d == nullptr ? cudaErrorInvalidValue : cudaSuccess; }

cudaError_t cudaStreamCreate(cudaStream_t* pStream) {
  return with_context([&](const Driver& below) { return ask(below.cuStreamCreate, pStream, 0u); });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  return with_context([&](const Driver& below) { return ask(below.cuEventCreate, event, 0u); });
}

}  // namespace hooks
}  // namespace nvmlab::cudart
