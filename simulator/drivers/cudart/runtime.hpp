// SPDX-License-Identifier: Apache-2.0
// How a call of the runtime gets to a device: the driver is there and new enough, cuInit went well, the thread has a
// context, which is the primary one of its device unless the program made one current itself. A forked child has none
// of it, as the driver says. Tests: tests/drivers/cudart/devices_test.cpp.
#pragma once

#include "drivers/cudart/driver.hpp"
#include "drivers/cudart/thread.hpp"

namespace nvmlab::cudart {

// CUDART_VERSION of the library: 12090.
extern const int kRuntimeVersion;

// Without a context.
cudaError_t initialise();

// With one.
cudaError_t ready();

// The thread's device: that of its context, else the one that it chose.
cudaError_t current_device(int* device);
cudaError_t choose_device(int device);

// cudaErrorInvalidDevice for what is none.
cudaError_t check_device(int device);

// The primary context, which the process holds from then on.
cudaError_t primary_context(int device, CUcontext* context);

// Ends the primary context of the thread's device.
cudaError_t reset_device();

// Calls body(driver) with a context.
template <class Body>
cudaError_t with_context(const Body& body) {
  const cudaError_t code = ready();
  return code == cudaSuccess ? body(*driver()) : code;
}

// And without.
template <class Body>
cudaError_t with_driver(const Body& body) {
  const cudaError_t code = initialise();
  return code == cudaSuccess ? body(*driver()) : code;
}

inline CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }
inline void* pointer_to(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace nvmlab::cudart
