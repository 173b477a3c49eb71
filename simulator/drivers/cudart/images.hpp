// SPDX-License-Identifier: Apache-2.0
//
// What a program registers when it starts: images, and in them kernels and variables by the addresses of their twins on
// the host. An image is loaded into a context when something of it is used there for the first time. Tests:
// tests/drivers/cudart/registration_test.cpp.
#pragma once

#include "drivers/cudart/runtime.hpp"

namespace nvmlab::cudart {

struct Image;

enum class SymbolKind : std::uint8_t { kernel, variable, managed };

struct Symbol {
  SymbolKind kind;
  Image* image;
  const void* host;  // of a kernel its function, of a variable its twin, of a managed one the pointer to it
  const char* name;  // on the device
  std::size_t bytes;
  // Where it was found last.
  CUcontext context;
  CUfunction function;
  CUdeviceptr address;
  Symbol* next;  // of its image
};

Image* register_image(const void* wrapper);
void unregister_image(Image* image);
// Null where the image is none of ours or there is no memory.
Symbol* register_symbol(Image* image, SymbolKind kind, const void* host, const char* name, std::size_t bytes);
// Loads it for the thread's context, so that managed variables have their memory.
cudaError_t load_image(Image* image);

// By the address of its twin; a kernel also by its handle. Null: nobody registered it.
Symbol* find_symbol(const void* host);

// In the thread's context.
cudaError_t function_of(const void* kernel, CUfunction* function);
cudaError_t variable_of(const void* host, CUdeviceptr* address, std::size_t* bytes);

// The address by which the program knows a kernel of the driver's; that kernel itself where it is none of its own.
const void* host_of(CUfunction function);

// After the context is gone.
void forget_loaded(CUcontext context);

}  // namespace nvmlab::cudart
