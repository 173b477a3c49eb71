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

// Into memory of its own, or of the caller's.
struct Own {
  using Placements = VgpuPlacements;

  template <class F, class Ask>
  Result<VgpuPlacements> ask(const State& state, F* Functions::*slot, Ask&& ask) const {
    auto ids = list_made<unsigned, unsigned>(state, slot, {Protocol::B}, ask, [](unsigned id) { return id; });
    if (!ids) return unexpected(std::move(ids.error()));
    return VgpuPlacements{0, std::move(*ids)};
  }
};

struct Lent {
  using Placements = VgpuPlacementsView;
  std::span<unsigned> room;

  template <class F, class Ask>
  Result<VgpuPlacementsView> ask(const State& state, F* Functions::*slot, Ask&& ask) const {
    F* const function = state.functions.*slot;
    if (function == nullptr) return no_list(state, slot, abi::NVML_SUCCESS);
    auto once = [&](unsigned* count, void* where) { return ask(function, count, static_cast<unsigned*>(where)); };
    unsigned count = 0;
    const auto code = filled<unsigned, unsigned>({Protocol::B}, room, count, once, [](unsigned id) { return id; });
    if (code != abi::NVML_SUCCESS) return not_filled(state, slot, code, room.size(), count);
    return VgpuPlacementsView{0, room.first(count)};
  }
};

// `List` is the struct that holds them, `once(f, list)` a call with it. The count is told where they do not fit.
template <class List, class Memory, class F, class Once>
Result<typename Memory::Placements> placements(const State& state, F* Functions::*slot, const List& asked,
                                               const Memory& memory, Once&& once) {
  unsigned size = 0;
  auto made = memory.ask(state, slot, [&](auto* f, unsigned* count, unsigned* room) {
    List list = asked;
    const auto code =
        within<&List::count, &List::placementIds>(list, count, room, [&] { return once(f, AnyPointer{&list}); });
    size = list.placementSize;
    return code;
  });
  if (made) made->size = size;
  return made;
}

// Of both functions that take a list like this.
using PlacementsSlot = abi::nvmlDeviceGetVgpuTypeSupportedPlacements_fn* Functions::*;

template <class Memory>
Result<typename Memory::Placements> placements_of_device(const State& state, PlacementsSlot slot,
                                                         abi::nvmlDevice_t device, abi::nvmlVgpuTypeId_t type,
                                                         bool homogeneous, const Memory& memory) {
  const auto once = [&](auto* f, AnyPointer list) { return f(device, type, list); };
  return newest(
      [&] {
        abi::nvmlVgpuPlacementList_v2_t list{};
        list.mode = homogeneous ? abi::VGPU_PGPU_HOMOGENEOUS_MODE : abi::VGPU_PGPU_HETEROGENEOUS_MODE;
        return placements(state, slot, list, memory, once);
      },
      [&]() -> Result<typename Memory::Placements> {
        // The older list knows heterogeneous placement alone.
        if (homogeneous) return no_list(state, slot, abi::NVML_ERROR_ARGUMENT_VERSION_MISMATCH);
        return placements(state, slot, abi::nvmlVgpuPlacementList_v1_t{}, memory, once);
      });
}

template <class Memory>
Result<typename Memory::Placements> placements_of_instance(const State& state, abi::nvmlGpuInstance_t instance,
                                                           const VgpuType& type, const Memory& memory) {
  abi::nvmlVgpuCreatablePlacementInfo_v1_t list{};
  list.vgpuTypeId = type.handle();
  return placements(state, &Functions::nvmlGpuInstanceGetVgpuTypeCreatablePlacements, list, memory,
                    [&](auto* f, AnyPointer where) { return f(instance, where); });
}

}  // namespace

Result<VgpuPlacements> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeSupportedPlacements, device, type.handle(),
                              homogeneous, Own{});
}

Result<VgpuPlacementsView> supported_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                                bool homogeneous, std::span<unsigned> room) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeSupportedPlacements, device, type.handle(),
                              homogeneous, Lent{room});
}

Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                            bool homogeneous) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeCreatablePlacements, device, type.handle(),
                              homogeneous, Own{});
}

Result<VgpuPlacementsView> creatable_placements(const State& state, abi::nvmlDevice_t device, const VgpuType& type,
                                                bool homogeneous, std::span<unsigned> room) {
  return placements_of_device(state, &Functions::nvmlDeviceGetVgpuTypeCreatablePlacements, device, type.handle(),
                              homogeneous, Lent{room});
}

Result<VgpuPlacements> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance, const VgpuType& type) {
  return placements_of_instance(state, instance, type, Own{});
}

Result<VgpuPlacementsView> creatable_placements(const State& state, abi::nvmlGpuInstance_t instance,
                                                const VgpuType& type, std::span<unsigned> room) {
  return placements_of_instance(state, instance, type, Lent{room});
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
