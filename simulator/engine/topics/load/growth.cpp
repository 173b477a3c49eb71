// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/growth.hpp"

#include "engine/topics/load/metric_curves.hpp"
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

// Of a phase, in so many microseconds of it.
std::uint64_t counted_in(const LoadPhase& phase, Moving which, std::uint64_t us) {
  constexpr std::uint64_t second_us = 1'000'000;
  const std::uint64_t kibps = seen(phase.link_kibps);
  if (which == Moving::link_kib) return kibps * (us / second_us) + kibps * (us % second_us) / second_us;
  const std::uint64_t cycles = seen(phase.sm_mhz) * us;
  return which == Moving::sm_cycles ? cycles : cycles / 100 * seen(phase.percent[0]);
}

}  // namespace

std::uint64_t counted(const LoadSegment& segment, Moving which, std::uint64_t now_us) {
  const std::uint32_t said = seen(segment.phase_count);
  const std::uint32_t count = said < kMaxPhases ? said : kMaxPhases;
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t begin_us = seen(segment.phases[i].begin_us);
    const std::uint64_t end_us = i + 1 < count ? seen(segment.phases[i + 1].begin_us) : kNoEnd;
    const std::uint64_t until_us = end_us < now_us ? end_us : now_us;
    if (until_us <= begin_us) break;
    sum += counted_in(segment.phases[i], which, until_us - begin_us);
  }
  return sum;
}

void resolve(Gpu& copy, std::uint64_t now_ns) {
  if (!copy.load.segment.has_value() && !has_curves(copy.load)) return;
  const Motion motion(copy, now_ns);
  visit_moving_topics([&copy, &motion](auto topic) { resolve_topic(copy.*topic, motion); });
  resolve(copy.processes, motion);
  const auto grow = [&motion](Fact<std::uint64_t>& fact, Growth, bool) { resolve(fact, motion); };
  visit_growing(copy.nvlink, grow);
  visit_growing(copy.gpm, grow);
  for (std::uint32_t i = 0; i < copy.nvlink.links.size(); ++i)
    visit_error_counters(copy.nvlink.links.items[i], [&motion](auto& counter) { resolve(counter, motion); });
}

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
