// SPDX-License-Identifier: Apache-2.0
#include "drivers/cuda/hooks/destroy_context.hpp"

#include "drivers/cuda/graphs/captures.hpp"
#include "drivers/cuda/memory/allocations.hpp"
#include "drivers/cuda/memory/graph_footprints.hpp"
#include "drivers/cuda/modules/links.hpp"
#include "drivers/cuda/modules/modules.hpp"
#include "drivers/cuda/modules/textures.hpp"

namespace nvmlab::cuda {

void destroy_context(CUcontext handle) {
  const Context* const context = find_context(handle);
  if (context == nullptr) return;
  const std::uint32_t device = context->device;
  release_modules_of(handle);
  release_links_of(handle);
  release_textures_of(handle);
  release_arrays_of(handle);
  release_allocations_of(handle);
  leave_captures_of(handle);
  release_streams_of(handle);
  if (is_last_context(device)) {
    forget_footprints(device);
    trim_pools_of(device);
  }
  remove_context(handle);
}

}  // namespace nvmlab::cuda
