// SPDX-License-Identifier: Apache-2.0
//
// Textures, surfaces, and the references of modules, which are textures that a module holds by name: the driver writes
// their handle where the module has the reference. What a kernel is told of one (kernels/textures_api.h) is put
// together when it asks, so an array that is gone is told. All under the lock of the process. Tests:
// tests/drivers/cuda/textures_test.cpp.
#pragma once

#include "drivers/cuda/memory/arrays.hpp"
#include "drivers/cuda/modules/kernel_library.hpp"
#include "drivers/cuda/modules/modules.hpp"

namespace nvmlab::cuda {

struct TextureState {
  CUcontext context;
  CUDA_RESOURCE_DESC resource;
  CUDA_TEXTURE_DESC texture;
  bool surface;
  CUmodule module;  // of a reference; null: of one that a program has created
  bool reference;
  CUDA_RESOURCE_VIEW_DESC view;  // its format is 0 where there is none
};

// What a texture is made of: CUDA_SUCCESS, or why it cannot be.
CUresult check_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& texture);

// A view of an array or mipmap as elements of another kind, of as many bytes: CUDA_SUCCESS, or why it cannot be. One
// that changes the size, or leaves levels or layers in front out, is not simulated.
CUresult check_view(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC& view);

CUresult create_texture(const TextureState& of, std::uint64_t* handle);
// Also a reference; null: there is none of this handle.
TextureState* find_texture(std::uint64_t handle);
CUresult destroy_texture(std::uint64_t handle, bool surface);
void release_textures_of(CUcontext context);
void release_references_of(CUmodule module);

// The reference of this name in a module, which is made when it is asked for the first time.
CUresult find_reference(CUmodule module, const char* name, bool surface, std::uint64_t* handle);
// One of no module.
CUresult create_reference(CUcontext context, std::uint64_t* handle);
CUresult destroy_reference(const void* handle);
// A reference that a program names; null: it is none.
TextureState* find_reference(const void* handle);
template <class Body>
CUresult with_reference(const void* handle, const Body& body) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  TextureState* const texture = find_reference(handle);
  return texture == nullptr ? CUDA_ERROR_INVALID_HANDLE : body(*texture);
}

// For nvmlab_launch::texture, without the lock.
int tell_texture(void*, std::uint64_t handle, nvmlab_texture* out);

}  // namespace nvmlab::cuda
