// SPDX-License-Identifier: Apache-2.0
#include "nvmlab/nvml/vgpu_lists.hpp"

#include "nvmlab/nvml/generated/convert_vgpu.hpp"
#include "nvmlab/nvml/shapes/call.hpp"
#include "nvmlab/nvml/shapes/families.hpp"
#include "nvmlab/nvml/shapes/lists.hpp"
#include "nvmlab/nvml/shapes/within.hpp"
#include "nvmlab/nvml/vgpu_type.hpp"

namespace nvml::inline v1::detail {
namespace {

// `List` is the struct that holds them, `once(f, list)` a call with it. The count is told where they do not fit.
template <class List, class F, class Once>
Result<VgpuPlacements> placements(const State& state, F* Functions::*slot, const List& asked, Once&& once) {
  VgpuPlacements made;
  auto ids = list_raw<unsigned>(
      state, slot, {Protocol::B},
      [&](auto* f, unsigned* count, unsigned* room) {
        List list = asked;
        const auto code =
            within<&List::count, &List::placementIds>(list, count, room, [&] { return once(f, AnyPointer{&list}); });
        made.size = list.placementSize;
        return code;
      },
      [](std::span<const unsigned> all) {
        return std::vector<unsigned>{all.begin(), all.end()};
      });
  if (!ids) return unexpected(ids.error());
  made.ids = std::move(*ids);
  return made;
}

// Of both functions that take a list like this.
using PlacementsSlot = abi::nvmlDeviceGetVgpuTypeSupportedPlacements_fn* Functions::*;

Result<VgpuPlacements> placements_of_device(const State& state, PlacementsSlot slot, abi::nvmlDevice_t device,
                                            abi::nvmlVgpuTypeId_t type, bool homogeneous) {
  const auto once = [&](auto* f, AnyPointer list) { return f(device, type, list); };
  return newest(
      [&] {
        abi::nvmlVgpuPlacementList_v2_t list{};
        list.mode = homogeneous ? abi::VGPU_PGPU_HOMOGENEOUS_MODE : abi::VGPU_PGPU_HETEROGENEOUS_MODE;
        return placements(state, slot, list, once);
      },
      [&]() -> Result<VgpuPlacements> {
        // The older list knows heterogeneous placement alone.
        if (homogeneous) return no_list(state, slot, abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
        return placements(state, slot, abi::nvmlVgpuPlacementList_v1_t{}, once);
      });
}

}  // namespace

Result<VgpuPlacements> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeSupportedPlacements, device, type.handle(),
                              homogeneous);
}

Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeCreatablePlacements, device, type.handle(),
                              homogeneous);
}

Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance, const VgpuType& type) {
  abi::nvmlVgpuCreatablePlacementInfo_v1_t list{};
  list.vgpuTypeId = type.handle();
  return placements(state, &Functions::nvmlGpuInstanceGetVgpuTypeCreatablePlacements, list,
                    [&](auto* f, AnyPointer where) { return f(instance, where); });
}

Result<VgpuPgpuCompatibility> vgpu_compatibility(const State& state, const VgpuMetadata& vgpu,
                                                 const VgpuPgpuMetadata& gpu) {
  std::vector<std::byte> of_vgpu = to_c(vgpu);
  std::vector<std::byte> of_gpu = to_c(gpu);
  abi::nvmlVgpuPgpuCompatibility_t c{};
  const auto asked =
      ask(state, &Functions::nvmlGetVgpuCompatibility, AnyPointer{of_vgpu.data()}, AnyPointer{of_gpu.data()}, &c);
  if (!asked) return unexpected(asked.error());
  return typed_as<VgpuPgpuCompatibility>(c);
}

}  // namespace nvml::inline v1::detail
