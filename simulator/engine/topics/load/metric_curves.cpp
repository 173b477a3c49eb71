// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/load/metric_curves.hpp"

#include <cstring>

#include "engine/store/hash.hpp"
#include "engine/topics/load/curve_values.hpp"
#include "engine/topics/load/motion.hpp"

namespace nvmlab {
namespace {

void write_curves(Load& to, const Curves& curves) {
  std::memcpy(to.curves.data, &curves, sizeof curves);
  to.curves.stored_code = kSuccess ^ kNotSupported;
}

// Calls `visit` with each fact of a draft, or of a copy, that follows a curve, and its place in `rest`. Topics come by
// `topic`, so that a draft copies those alone that are asked for.
template <class TopicOf, class Visit>
void visit_curved(std::uint32_t which, const Curves& curves, const TopicOf& topic, const Visit& visit) {
  if ((which & kTemperatureCurve) != 0) {
    Thermal& thermal = topic(&Gpu::thermal);
    visit(thermal.gpu_c, Moving::gpu_c, kRestGpu);
    visit(thermal.tlimit_c, Moving::tlimit_c, kRestLimit);
  }
  if ((which & kPowerCurve) != 0) {
    Power& power = topic(&Gpu::power);
    visit(power.draw_mw, Moving::draw_mw, kRestDraw);
    visit(power.draw_average_mw, Moving::draw_average_mw, kRestAverage);
    visit(power.draw_instant_mw, Moving::draw_instant_mw, kRestInstant);
  }
  if ((which & kUtilizationCurve) != 0) {
    Utilization& shares = topic(&Gpu::utilization);
    visit(shares.gpu_percent, Moving::gpu_percent, kRestGpuPercent);
    visit(shares.memory_percent, Moving::memory_percent, kRestMemoryPercent);
    if (curves.asked.full_tx_kbps > 0) visit(topic(&Gpu::pci).tx_kbps, Moving::tx_kbps, kRestTx);
    if (curves.asked.full_rx_kbps > 0) visit(topic(&Gpu::pci).rx_kbps, Moving::rx_kbps, kRestRx);
  }
}

// The same for what counts.
template <class TopicOf, class Visit>
void visit_links(const Curves& curves, const TopicOf& topic, const Visit& visit) {
  if ((curves.asked.which & kLinkErrorCurve) == 0) return;
  auto& links = topic(&Gpu::nvlink).links;
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    const bool named = curves.asked.links == 0 || (i < 64 && (curves.asked.links >> i & 1) != 0);
    if (!named || links[i].active.value_or(0) != 1) continue;
    visit_error_counters(links[i], visit);
  }
}

// Where what a fact is without pins and faults is kept, as a copy that goes back there.
template <class T, class Use>
void beneath(GpuEdit& gpu, Fact<T>& fact, const Use& use) {
  const std::uint32_t offset = gpu.place_of_edited(&fact);
  std::uint64_t* words = nullptr;
  if (Pin* const pin = gpu.pins().find(offset)) words = pin->under;
  if (Beneath* const lies = gpu.faults().find_beneath(offset); words == nullptr && lies != nullptr) words = lies->value;
  if (words == nullptr) return use(fact);
  Fact<T> copy{};
  static_assert(sizeof copy <= 2 * sizeof *words);
  std::memcpy(&copy, words, sizeof copy);
  use(copy);
  std::memcpy(words, &copy, sizeof copy);
}

template <class T>
void set_moving(Fact<T>& fact, std::uint64_t what) {
  fact.value = static_cast<T>(what);
  fact.stored_code = kMoving ^ kNotSupported;
}

auto edited_topics(GpuEdit& gpu) {
  return [&gpu](auto topic) -> auto& { return gpu.edit(topic); };
}

// Curves that end leave what lies beneath, also where a pin hides it.
void end_curves(GpuEdit& gpu, const Curves& curves) {
  if (is_loaded(gpu.view(&Gpu::load))) return;
  visit_curved(curves.asked.which, curves, edited_topics(gpu), [&](auto& fact, Moving, std::uint32_t rest) {
    beneath(gpu, fact, [&](auto& lowest) {
      if (lowest.moves()) lowest.set(static_cast<decltype(lowest.value)>(curves.rest[rest]));
    });
  });
}

void limit_power(const Power& power, Curves& curves) {
  const SetMetricCurves& asked = curves.asked;
  const std::uint32_t least = power.min_limit_mw.value_or(0);
  const std::uint32_t most = power.max_limit_mw.value_or(0);
  const auto within = [&](std::uint32_t value) {
    if (most > 0 && value > most) value = most;
    return value < least ? least : value;
  };
  curves.lowest_mw = within(asked.base_mw > asked.variance_mw ? asked.base_mw - asked.variance_mw : 0);
  curves.highest_mw = within(asked.base_mw + asked.variance_mw);
  if (curves.highest_mw < curves.lowest_mw) curves.highest_mw = curves.lowest_mw;
}

// Where the board shuts itself off, told as such or as a distance.
std::uint32_t shutdown_c(const Thermal& thermal) {
  if (thermal.shutdown_c.has_value()) return thermal.shutdown_c.value;
  if (!thermal.tlimit_c.has_value() || !thermal.shutdown_tlimit_c.has_value()) return 0;
  const std::int32_t celsius = thermal.tlimit_c.value - thermal.shutdown_tlimit_c.value;
  return celsius > 0 ? static_cast<std::uint32_t>(celsius) : 0;
}

}  // namespace

Code make(const SetMetricCurves& change, GpuEdit& gpu) {
  if (!good(change)) return kInvalidArgument;
  Curves curves{};
  if (read_curves(gpu.view(&Gpu::load), curves)) end_curves(gpu, curves);
  Load& load = gpu.edit(&Gpu::load);
  if (change.which == 0) {
    load.curves = {};
    return kSuccess;
  }
  curves = {};
  curves.format = Curves::kFormat;
  curves.asked = change;
  const Text<96>& uuid = gpu.view(&Gpu::identity).uuid;
  curves.seed = mix(change.seed + fnv1a(uuid.data, uuid.length < uuid.capacity ? uuid.length : 0));
  curves.since_ms = curves.begin_ms = gpu.now_ns() / 1'000'000;
  limit_power(gpu.view(&Gpu::power), curves);
  curves.highest_c = shutdown_c(gpu.view(&Gpu::thermal));
  write_curves(load, curves);
  return kSuccess;
}

void settle_curves(GpuEdit& gpu) {
  Curves curves{};
  if (!read_curves(gpu.view(&Gpu::load), curves)) return;
  const std::uint64_t now_ms = gpu.now_ns() / 1'000'000;
  const auto topics = edited_topics(gpu);
  const bool loaded = is_loaded(gpu.view(&Gpu::load));
  if (!loaded) {
    visit_curved(curves.asked.which, curves, topics, [&](auto& fact, Moving, std::uint32_t rest) {
      if (fact.moves()) fact.set(static_cast<decltype(fact.value)>(curves.rest[rest]));
    });
    const std::uint64_t spent_uj = energy_uj(curves, now_ms);
    if ((curves.asked.which & kPowerCurve) != 0) {
      Fact<std::uint64_t>& energy = gpu.edit(&Gpu::power).energy_mj;
      if (energy.moves()) energy.set(curves.energy_mj + spent_uj / 1000);
    }
    curves.energy_rest_uj = spent_uj % 1000;
  }
  const std::uint64_t errors = link_errors(curves, now_ms);
  visit_links(curves, topics, [errors](Fact<std::uint64_t>& counter) {
    if (counter.moves() && static_cast<std::uint32_t>(counter.value) == kMovingLinkErrors)
      counter.set((counter.value >> 32) + errors / 1'000'000);
  });
  curves.errors_rest = errors % 1'000'000;
  if (now_ms > curves.begin_ms) curves.begin_ms = now_ms;
  write_curves(gpu.edit(&Gpu::load), curves);
}

void follow_curves(GpuEdit& gpu) {
  Curves curves{};
  if (!read_curves(gpu.view(&Gpu::load), curves)) return;
  const auto topics = edited_topics(gpu);
  visit_curved(curves.asked.which, curves, topics, [&](auto& fact, Moving which, std::uint32_t rest) {
    beneath(gpu, fact, [&](auto& lowest) {
      if (!lowest.has_value()) return;
      curves.rest[rest] = static_cast<std::uint32_t>(lowest.value);
      set_moving(lowest, static_cast<std::uint32_t>(which));
    });
  });
  if ((curves.asked.which & kPowerCurve) != 0 && !is_loaded(gpu.view(&Gpu::load))) {
    beneath(gpu, gpu.edit(&Gpu::power).energy_mj, [&curves](Fact<std::uint64_t>& lowest) {
      if (!lowest.has_value()) return;
      curves.energy_mj = lowest.value;
      set_moving(lowest, static_cast<std::uint32_t>(Moving::energy_mj));
    });
  }
  visit_links(curves, topics, [&gpu](Fact<std::uint64_t>& counter) {
    beneath(gpu, counter, [](Fact<std::uint64_t>& lowest) {
      if (lowest.has_value() && lowest.value >> 32 == 0) set_moving(lowest, lowest.value << 32 | kMovingLinkErrors);
    });
  });
  write_curves(gpu.edit(&Gpu::load), curves);
}

}  // namespace nvmlab
