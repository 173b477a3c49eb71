// SPDX-License-Identifier: Apache-2.0
#include "engine/topics/gpm/gpm_metrics.hpp"

#include "engine/store/event_ring.hpp"

namespace nvmlab {
namespace {

template <class T, class State>
const Fact<T>& fact_at(const State& state, std::size_t offset) {
  return *reinterpret_cast<const Fact<T>*>(reinterpret_cast<const unsigned char*>(&state) + offset);
}

GpmMetric known(double value) { return {kSuccess, value}; }

template <class FactType>
GpmMetric refused(const FactType& fact) {
  return {fact.code(), 0};
}

struct Pair {
  const GpmSample& before;
  const GpmSample& after;
  double seconds() const { return static_cast<double>(after.taken_ms - before.taken_ms) / 1000; }
};

constexpr double kHundred = 100;

GpmMetric share_of_time(const Pair& pair, const GpmRow& row) {
  double sum = 0;
  const GpmSample* const both[] = {&pair.before, &pair.after};
  for (const GpmSample* sample : both) {
    const auto& percent = fact_at<std::uint32_t>(sample->gpu, row.offsets[0]);
    if (!percent.has_value()) return refused(percent);
    double share = kHundred;
    if (row.offsets[1] != kNoField) {
      const auto& part = fact_at<std::uint32_t>(sample->gpu, row.offsets[1]);
      if (!part.has_value()) return refused(part);
      share = part.value;
    }
    sum += percent.value * share / kHundred;
  }
  return known(sum / 2);
}

GpmMetric engine(const Pair& pair, const GpmRow& row) {
  const auto& count = fact_at<std::uint32_t>(pair.after.gpu, row.offsets[1]);
  if (!count.has_value()) return refused(count);
  if (row.number >= count.value) return {};
  GpmRow whole = row;
  whole.offsets[1] = kNoField;
  return share_of_time(pair, whole);
}

GpmMetric rate_of_state(const Pair& pair, const GpmRow& row) {
  constexpr double kib_per_mib = 1024;
  const auto& before = fact_at<std::uint32_t>(pair.before.gpu, row.offsets[0]);
  const auto& after = fact_at<std::uint32_t>(pair.after.gpu, row.offsets[0]);
  if (!before.has_value() || !after.has_value()) return refused(before.has_value() ? after : before);
  return known((static_cast<double>(before.value) + after.value) / 2 / kib_per_mib);
}

GpmMetric since_boot(const Pair& pair, const GpmRow& row) {
  const auto& count = fact_at<std::uint64_t>(pair.after.gpu, row.offsets[0]);
  return count.has_value() ? known(static_cast<double>(count.value)) : refused(count);
}

// Returns the growth of a counter; a counter that was cleared in between has not grown.
template <class Item>
GpmMetric growth(const Item& before, const Item& after, std::size_t offset) {
  const auto& first = fact_at<std::uint64_t>(before, offset);
  const auto& second = fact_at<std::uint64_t>(after, offset);
  if (!first.has_value() || !second.has_value()) return refused(first.has_value() ? second : first);
  return known(second.value > first.value ? static_cast<double>(second.value - first.value) : 0);
}

template <class Items>
GpmMetric rate(const Items& before, const Items& after, std::uint32_t number, const Pair& pair, std::size_t offset) {
  constexpr double kib_per_mib = 1024;
  if (number >= before.size() || number >= after.size()) return {};
  GpmMetric metric = growth(before[number], after[number], offset);
  metric.value /= kib_per_mib * pair.seconds();
  return metric;
}

template <class Items>
GpmMetric rate_sum(const Items& before, const Items& after, const Pair& pair, std::size_t offset) {
  GpmMetric sum;
  for (std::uint32_t number = 0; number < after.size(); ++number) {
    const GpmMetric each = rate(before, after, number, pair, offset);
    if (each.code == kSuccess) sum = known(sum.value + each.value);
  }
  return sum;
}

GpmMetric graphics(const Pair& pair, const GpmRow& row) {
  const auto& before = pair.before.gpu.gpm.graphics_engines;
  const auto& after = pair.after.gpu.gpm.graphics_engines;
  if (row.number >= before.size() || row.number >= after.size()) return {};
  const GpmMetric part = growth(before[row.number], after[row.number], row.offsets[0]);
  if (row.source == GpmSource::graphics_count || part.code != kSuccess) return part;
  const GpmMetric whole = growth(before[row.number], after[row.number], row.offsets[1]);
  if (whole.code != kSuccess) return whole;
  const double ratio = whole.value > 0 ? part.value / whole.value : 0;
  return known(row.source == GpmSource::graphics_percent ? ratio * kHundred : ratio);
}

}  // namespace

void restrict_to_instance(Gpu& gpu, std::uint32_t gpu_instance, std::uint32_t compute_instance) {
  using Running = Processes::Process;
  const auto set = [&](Fact<std::uint32_t>& field, Fact<std::uint32_t> Running::*share) {
    std::uint32_t sum = 0;
    for (const Running& each : gpu.processes.running) {
      const bool in =
          each.gpu_instance.value_or(kNoInstance) == gpu_instance &&
          (compute_instance == kNoInstance || each.compute_instance.value_or(kNoInstance) == compute_instance);
      if (in) sum += (each.*share).value_or(0);
    }
    field.set(sum < 100 ? sum : 100);
  };
  set(gpu.utilization.gpu_percent, &Running::sm_percent);
  set(gpu.utilization.memory_percent, &Running::memory_percent);
  set(gpu.utilization.encoder_percent, &Running::encoder_percent);
  set(gpu.utilization.decoder_percent, &Running::decoder_percent);
  set(gpu.utilization.jpeg_percent, &Running::jpeg_percent);
  set(gpu.utilization.ofa_percent, &Running::ofa_percent);
}

bool in_one_refresh(const GpmSample& before, const GpmSample& after) {
  return after.taken_ms / kGpmRefreshMs <= before.taken_ms / kGpmRefreshMs;
}

GpmMetric make_gpm_metric(const GpmRow& row, const GpmSample& before, const GpmSample& after) {
  const Pair pair{before, after};
  const auto& links_before = pair.before.gpu.nvlink.links;
  const auto& links_after = pair.after.gpu.nvlink.links;
  const auto& c2c_before = pair.before.gpu.c2c.links;
  const auto& c2c_after = pair.after.gpu.c2c.links;
  switch (row.source) {
    case GpmSource::percent:
      return share_of_time(pair, row);
    case GpmSource::engine_percent:
      return engine(pair, row);
    case GpmSource::kbps:
      return rate_of_state(pair, row);
    case GpmSource::since_boot:
      return since_boot(pair, row);
    case GpmSource::link_rate:
      return rate(links_before, links_after, row.number, pair, row.offsets[0]);
    case GpmSource::link_rate_sum:
      return rate_sum(links_before, links_after, pair, row.offsets[0]);
    case GpmSource::link_since_boot: {
      constexpr double bytes_per_kib = 1024;
      if (row.number >= links_after.size()) return {};
      const auto& count = fact_at<std::uint64_t>(links_after[row.number], row.offsets[0]);
      return count.has_value() ? known(static_cast<double>(count.value) * bytes_per_kib) : refused(count);
    }
    case GpmSource::c2c_rate:
      return rate(c2c_before, c2c_after, row.number, pair, row.offsets[0]);
    case GpmSource::c2c_rate_sum:
      return rate_sum(c2c_before, c2c_after, pair, row.offsets[0]);
    case GpmSource::graphics_count:
    case GpmSource::graphics_ratio:
    case GpmSource::graphics_percent:
      return graphics(pair, row);
  }
  return {};
}

}  // namespace nvmlab
