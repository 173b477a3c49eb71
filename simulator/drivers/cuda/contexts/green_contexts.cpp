// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/contexts/green_contexts.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<GreenContext, ObjectKind::green_context> greens;
constinit Pool<SmRange, ObjectKind::resource_descriptor> descriptors;
struct GreenAlias {
  CUgreenCtx green;
};
constinit Pool<GreenAlias, ObjectKind::green_alias> aliases;
constinit std::uint64_t last_id = 0;

std::uint64_t number(const void* handle) { return reinterpret_cast<std::uint64_t>(handle); }

}  // namespace

GreenContext* find_green(CUgreenCtx handle) { return greens.find(number(handle)); }

CUresult no_green(CUgreenCtx handle) {
  return greens.was(number(handle)) ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult create_green(CUcontext primary, const SmRange& resource, CUgreenCtx* out) {
  std::uint64_t handle = 0;
  std::uint64_t alias = 0;
  GreenContext* const made = greens.create(&handle);
  GreenAlias* const as_context = made == nullptr ? nullptr : aliases.create(&alias);
  if (as_context == nullptr) {
    greens.remove(handle);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *made = {primary, reinterpret_cast<CUcontext>(alias), resource, ++last_id};
  made->resource.origin = SmOrigin::queried;  // what it is asked for may be split again
  as_context->green = *out = reinterpret_cast<CUgreenCtx>(handle);
  return CUDA_SUCCESS;
}

void destroy_green(CUgreenCtx handle) {
  aliases.remove(number(find_green(handle)->alias));
  greens.remove(number(handle));
}

CUresult create_descriptor(const SmRange& resource, CUdevResourceDesc* out) {
  std::uint64_t handle = 0;
  SmRange* const made = descriptors.create(&handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = resource;
  *out = reinterpret_cast<CUdevResourceDesc>(handle);
  return CUDA_SUCCESS;
}

const SmRange* find_descriptor(CUdevResourceDesc handle) { return descriptors.find(number(handle)); }

CUgreenCtx green_of(CUcontext context) {
  const GreenAlias* const found = aliases.find(number(context));
  return found == nullptr ? nullptr : found->green;
}

CUgreenCtx current_green() { return green_of(current_handle()); }

bool was_green(CUcontext context) { return aliases.was(number(context)); }

CUcontext as_primary(CUcontext context) {
  const CUgreenCtx green = green_of(context);
  return green == nullptr ? context : find_green(green)->primary;
}

std::uint32_t multiprocessors_of(CUgreenCtx green) {
  const GreenContext* const found = find_green(green);
  return found == nullptr ? 0 : found->resource.count;
}

}  // namespace nvmlab::cuda
