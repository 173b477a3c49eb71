// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/growth.hpp"

#include "engine/topics/load/motion.hpp"

namespace nvmlab {
namespace {

bool has_links(const GpuEdit& gpu) { return gpu.view(&Gpu::nvlink).links.size() > 0; }
bool counts_cycles(const GpuEdit& gpu) { return gpu.view(&Gpu::gpm).supported.value_or(0) != 0; }

void begin(Fact<std::uint64_t>& fact, Growth by) {
  if (!fact.has_value() || fact.value > kMostGrown) return;
  fact.value = fact.value << 8 | kGrows | static_cast<std::uint64_t>(by);
  fact.stored_code = kMoving ^ kNotSupported;
}

// A fact that is pinned grows beneath the pin.
struct Begin {
  GpuEdit& gpu;

  void operator()(Fact<std::uint64_t>& fact, Growth by, bool runs) const {
    if (!runs) return;
    Pin* const pin = gpu.pins().find(gpu.place_of_edited(&fact));
    if (pin == nullptr) return begin(fact, by);
    Fact<std::uint64_t> under{};
    static_assert(sizeof under == sizeof pin->under);
    std::memcpy(&under, pin->under, sizeof under);
    begin(under, by);
    std::memcpy(pin->under, &under, sizeof under);
  }
};

}  // namespace

void settle_growth(GpuEdit& gpu, const Motion& now) {
  const auto settle_one = [&now](Fact<std::uint64_t>& fact, Growth, bool) { resolve(fact, now); };
  if (has_links(gpu)) visit_growing(gpu.edit(&Gpu::nvlink), settle_one);
  if (counts_cycles(gpu)) visit_growing(gpu.edit(&Gpu::gpm), settle_one);
}

void set_growing(GpuEdit& gpu) {
  if (has_links(gpu)) visit_growing(gpu.edit(&Gpu::nvlink), Begin{gpu});
  if (counts_cycles(gpu)) visit_growing(gpu.edit(&Gpu::gpm), Begin{gpu});
}

}  // namespace nvmlab
