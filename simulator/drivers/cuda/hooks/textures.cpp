// SPDX-License-Identifier: Apache-2.0
// Objects for textures and surfaces (textures.hpp). Tests: tests/drivers/cuda/textures_test.cpp,
// texture_views_test.cpp.
#include "drivers/cuda/modules/textures.hpp"

#include "drivers/cuda/hooks/generated/hooks.hpp"
#include "drivers/cuda/streams/work_threads.hpp"

namespace nvmlab::cuda {
namespace {

CUresult create(const TextureState& asked, unsigned long long* out) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  TextureState made = asked;
  made.context = guard.handle();
  if (const CUresult code = check_texture(made.resource, made.texture); code != CUDA_SUCCESS) return code;
  if (const CUresult code = check_view(made.resource, made.view); code != CUDA_SUCCESS) return code;
  std::uint64_t handle = 0;
  const CUresult code = create_texture(made, &handle);
  if (code == CUDA_SUCCESS) *out = handle;
  return code;
}

template <class Body>
CUresult with_object(std::uint64_t handle, bool surface, const Body& body) {
  const ContextGuard guard;
  if (guard.code() != CUDA_SUCCESS) return guard.code();
  const TextureState* const texture = find_texture(handle);
  if (texture == nullptr || texture->surface != surface) return CUDA_ERROR_INVALID_HANDLE;
  body(*texture);
  return CUDA_SUCCESS;
}

// Programs destroy objects behind the launches that use them.
CUresult destroy(std::uint64_t handle, bool surface) {
  return while_idle_in_context([&] { return destroy_texture(handle, surface); });
}

}  // namespace

namespace hooks {

CUresult cuTexObjectCreate(CUtexObject* pTexObject, const CUDA_RESOURCE_DESC* pResDesc,
                           const CUDA_TEXTURE_DESC* pTexDesc, const CUDA_RESOURCE_VIEW_DESC* pResViewDesc) {
  if (pTexObject == nullptr || pResDesc == nullptr || pTexDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const CUDA_RESOURCE_VIEW_DESC view = pResViewDesc == nullptr ? CUDA_RESOURCE_VIEW_DESC{} : *pResViewDesc;
  return create({nullptr, *pResDesc, *pTexDesc, false, nullptr, false, view}, pTexObject);
}
CUresult cuTexObjectDestroy(CUtexObject texObject) { return destroy(texObject, false); }
CUresult cuTexObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUtexObject texObject) {
  if (pResDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_object(texObject, false, [&](const TextureState& of) { *pResDesc = of.resource; });
}
CUresult cuTexObjectGetTextureDesc(CUDA_TEXTURE_DESC* pTexDesc, CUtexObject texObject) {
  if (pTexDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_object(texObject, false, [&](const TextureState& of) { *pTexDesc = of.texture; });
}
CUresult cuTexObjectGetResourceViewDesc(CUDA_RESOURCE_VIEW_DESC* pResViewDesc, CUtexObject texObject) {
  if (pResViewDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  CUDA_RESOURCE_VIEW_DESC view{};
  const CUresult code = with_object(texObject, false, [&](const TextureState& of) { view = of.view; });
  if (code != CUDA_SUCCESS) return code;
  if (view.format == 0) return CUDA_ERROR_INVALID_VALUE;
  *pResViewDesc = view;
  return CUDA_SUCCESS;
}

CUresult cuSurfObjectCreate(CUsurfObject* pSurfObject, const CUDA_RESOURCE_DESC* pResDesc) {
  if (pSurfObject == nullptr || pResDesc == nullptr || pResDesc->resType != 0) return CUDA_ERROR_INVALID_VALUE;
  return create({nullptr, *pResDesc, {}, true, nullptr, false, {}}, pSurfObject);
}
CUresult cuSurfObjectDestroy(CUsurfObject surfObject) { return destroy(surfObject, true); }
CUresult cuSurfObjectGetResourceDesc(CUDA_RESOURCE_DESC* pResDesc, CUsurfObject surfObject) {
  if (pResDesc == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return with_object(surfObject, true, [&](const TextureState& of) { *pResDesc = of.resource; });
}

}  // namespace hooks
}  // namespace nvmlab::cuda
