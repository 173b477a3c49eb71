// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/modules/textures.hpp"

#include <cstring>

#include "drivers/cuda/memory/allocations.hpp"

namespace nvmlab::cuda {
namespace {

constinit Pool<TextureState, ObjectKind::texture> textures;

constexpr int kArray = 0;
constexpr int kMipmapped = 1;
constexpr int kLinear = 2;
constexpr int kPitched = 3;
constexpr std::uint64_t kMost = std::uint64_t{1} << 30;  // elements of a line

void tell_array(const CUDA_ARRAY3D_DESCRIPTOR& of, std::uint64_t memory, std::uint64_t bytes, nvmlab_texture* out) {
  out->memory = memory;
  out->bytes = bytes;
  out->width = static_cast<std::uint32_t>(of.Width);
  out->height = static_cast<std::uint32_t>(of.Height);
  out->depth = static_cast<std::uint32_t>(of.Depth);
  out->pitch = row_bytes(of);
  out->format = static_cast<std::uint32_t>(of.Format);
  out->channels = of.NumChannels;
  out->layered = of.Flags & kLayered;
  out->cube = (of.Flags & kCubemap) != 0 ? 1 : 0;
}

bool tell_memory(const CUDA_RESOURCE_DESC& of, nvmlab_texture* out) {
  if (of.resType == kLinear) {
    const std::uint32_t element = element_bytes(of.res.linear.format, of.res.linear.numChannels);
    out->memory = of.res.linear.devPtr;
    out->bytes = of.res.linear.sizeInBytes;
    out->width = static_cast<std::uint32_t>(out->bytes / element);
    out->pitch = out->bytes;
    out->format = static_cast<std::uint32_t>(of.res.linear.format);
    out->channels = of.res.linear.numChannels;
    out->linear = 1;
  } else {
    out->memory = of.res.pitch2D.devPtr;
    out->width = static_cast<std::uint32_t>(of.res.pitch2D.width);
    out->height = static_cast<std::uint32_t>(of.res.pitch2D.height);
    out->pitch = of.res.pitch2D.pitchInBytes;
    out->format = static_cast<std::uint32_t>(of.res.pitch2D.format);
    out->channels = of.res.pitch2D.numChannels;
    const std::uint64_t row = of.res.pitch2D.width * element_bytes(of.res.pitch2D.format, out->channels);
    out->bytes = out->pitch * (of.res.pitch2D.height - 1) + row;
  }
  return on_device(out->memory, out->bytes);
}

bool tell_resource(const CUDA_RESOURCE_DESC& of, nvmlab_texture* out) {
  out->levels = 1;
  if (of.resType == kArray) {
    const ArrayState* const array = find_array(of.res.array);
    if (array == nullptr) return false;
    tell_array(array->of, array->memory, array->bytes, out);
    return true;
  }
  if (of.resType != kMipmapped) return tell_memory(of, out);
  const MipmapState* const mipmap = find_mipmap(of.res.mipmap);
  if (mipmap == nullptr) return false;
  tell_array(mipmap->of, mipmap->memory, mipmap->bytes, out);
  out->levels = mipmap->levels;
  for (std::uint32_t i = 0; i < mipmap->levels; ++i)
    out->level_at[i] = mipmap->level_at[i];
  return true;
}

CUresult check_memory(const CUDA_RESOURCE_DESC& of) {
  nvmlab_texture made{};
  if (of.resType == kLinear) {
    const std::uint32_t element = element_bytes(of.res.linear.format, of.res.linear.numChannels);
    if (element == 0 || of.res.linear.sizeInBytes < element || of.res.linear.sizeInBytes / element > kMost)
      return CUDA_ERROR_INVALID_VALUE;
  } else {
    const auto& rows = of.res.pitch2D;
    const std::uint32_t element = element_bytes(rows.format, rows.numChannels);
    if (element == 0 || rows.width == 0 || rows.height == 0 || rows.width > kMost >> 10 || rows.height > kMost >> 10 ||
        rows.pitchInBytes > kMost || rows.pitchInBytes < rows.width * element)
      return CUDA_ERROR_INVALID_VALUE;
  }
  return tell_memory(of, &made) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

struct ViewElement {
  std::uint32_t format;  // 0: none
  std::uint32_t channels;
};

// Of CUresourceViewFormat: eight formats in one, two and four channels; then blocks of compressed texels.
ViewElement element_of_view(int view) {
  constexpr std::uint32_t kFormats[] = {0x01, 0x08, 0x02, 0x09, 0x03, 0x0A, 0x10, 0x20};
  constexpr std::uint32_t kChannels[] = {1, 2, 4};
  if (view < 1 || view > 24) return {};
  return {kFormats[(view - 1) / 3], kChannels[(view - 1) % 3]};
}

void tell_view(const CUDA_RESOURCE_VIEW_DESC& of, nvmlab_texture* out) {
  if (of.format == 0) return;
  const ViewElement seen = element_of_view(of.format);
  out->format = seen.format;
  out->channels = seen.channels;
  out->levels = of.lastMipmapLevel + 1;
}

}  // namespace

CUresult check_view(const CUDA_RESOURCE_DESC& resource, const CUDA_RESOURCE_VIEW_DESC& view) {
  if (view.format == 0) return CUDA_SUCCESS;
  nvmlab_texture whole{};
  if (resource.resType > kMipmapped || !tell_resource(resource, &whole)) return CUDA_ERROR_INVALID_VALUE;
  const ViewElement seen = element_of_view(view.format);
  if (seen.format == 0)
    return view.format > 0 && view.format <= 34 ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
  if (element_bytes(static_cast<int>(seen.format), seen.channels) !=
          element_bytes(static_cast<int>(whole.format), whole.channels) ||
      view.lastMipmapLevel >= whole.levels || view.firstMipmapLevel > view.lastMipmapLevel ||
      view.firstLayer > view.lastLayer)
    return CUDA_ERROR_INVALID_VALUE;
  const std::uint32_t layers = whole.layered != 0 ? whole.depth : 1;
  const bool same = view.width == whole.width && view.height == whole.height && view.depth == whole.depth;
  const bool all_layers = view.lastLayer == 0 || view.lastLayer == layers - 1;
  return same && all_layers && view.firstMipmapLevel == 0 && view.firstLayer == 0 ? CUDA_SUCCESS
                                                                                  : CUDA_ERROR_NOT_SUPPORTED;
}

CUresult check_texture(const CUDA_RESOURCE_DESC& resource, const CUDA_TEXTURE_DESC& texture) {
  for (const int mode : texture.addressMode) {
    if (mode < 0 || mode > 3) return CUDA_ERROR_INVALID_VALUE;
  }
  if ((texture.filterMode | 1) != 1 || (texture.mipmapFilterMode | 1) != 1) return CUDA_ERROR_INVALID_VALUE;
  switch (resource.resType) {
    case kArray:
      return find_array(resource.res.array) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    case kMipmapped:
      return find_mipmap(resource.res.mipmap) == nullptr ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
    case kLinear:
    case kPitched:
      return check_memory(resource);
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult create_texture(const TextureState& of, std::uint64_t* handle) {
  TextureState* const made = textures.create(handle);
  if (made == nullptr) return CUDA_ERROR_OUT_OF_MEMORY;
  *made = of;
  return CUDA_SUCCESS;
}

TextureState* find_texture(std::uint64_t handle) { return textures.find(handle); }

CUresult destroy_texture(std::uint64_t handle, bool surface) {
  const TextureState* const texture = find_texture(handle);
  if (texture == nullptr || texture->surface != surface || texture->reference) return CUDA_ERROR_INVALID_HANDLE;
  textures.remove(handle);
  return CUDA_SUCCESS;
}

void release_textures_of(CUcontext context) {
  textures.remove_where([context](const TextureState& each) { return each.context == context; });
}

void release_references_of(CUmodule module) {
  textures.remove_where([module](const TextureState& each) { return each.module == module; });
}

namespace {

TextureState unbound(CUcontext context) {
  TextureState made{};
  made.context = context;
  made.reference = true;
  made.resource.resType = -1;  // nothing is bound
  made.texture.maxMipmapLevelClamp = kMostLevels;
  for (int& each : made.texture.addressMode)
    each = 1;
  made.texture.flags = 1;
  return made;
}

}  // namespace

CUresult create_reference(CUcontext context, std::uint64_t* handle) { return create_texture(unbound(context), handle); }

CUresult destroy_reference(const void* handle) {
  const TextureState* const texture = find_reference(handle);
  if (texture == nullptr || texture->module != nullptr) return CUDA_ERROR_INVALID_HANDLE;
  textures.remove(reinterpret_cast<std::uint64_t>(handle));
  return CUDA_SUCCESS;
}

CUresult find_reference(CUmodule handle, const char* name, bool surface, std::uint64_t* out) {
  const ModuleState* const module = find_module(handle);
  if (module == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  nvmlab_variable found{};
  if (kernels()->find_variable(module->loaded, name, &found) != 0 || found.reference != (surface ? 2U : 1U))
    return CUDA_ERROR_NOT_FOUND;
  auto* const place = reinterpret_cast<std::uint64_t*>(found.address);
  const TextureState* const known = find_texture(*place);
  *out = *place;
  if (known != nullptr && known->module == handle)
    return known->surface == surface ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  TextureState made = unbound(module->context);
  made.surface = surface;
  made.module = handle;
  if (const CUresult code = create_texture(made, out); code != CUDA_SUCCESS) return code;
  *place = *out;
  return CUDA_SUCCESS;
}

TextureState* find_reference(const void* handle) {
  TextureState* const texture = find_texture(reinterpret_cast<std::uint64_t>(handle));
  return texture == nullptr || !texture->reference ? nullptr : texture;
}

int tell_texture(void*, std::uint64_t handle, nvmlab_texture* out) {
  const Locked lock;
  const TextureState* const texture = find_texture(handle);
  *out = {};
  if (texture == nullptr || !tell_resource(texture->resource, out)) return 0;
  tell_view(texture->view, out);
  const CUDA_TEXTURE_DESC& how = texture->texture;
  for (int i = 0; i < 3; ++i)
    out->address_mode[i] = static_cast<std::uint32_t>(how.addressMode[i]);
  out->filter_mode = static_cast<std::uint32_t>(how.filterMode);
  out->mipmap_filter_mode = static_cast<std::uint32_t>(how.mipmapFilterMode);
  out->flags = how.flags;
  out->bias = how.mipmapLevelBias;
  out->least_level = how.minMipmapLevelClamp;
  out->most_level = how.maxMipmapLevelClamp;
  std::memcpy(out->border, how.borderColor, sizeof out->border);
  return 1;
}

}  // namespace nvmlab::cuda
