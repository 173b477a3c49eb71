// SPDX-License-Identifier: Apache-2.0
#include "command/trace/replay.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "base/text.hpp"

namespace nvmlab::tool {
namespace {

constexpr double kMostWatts = kMostLoadMw / 1000.0;

// Which of the columns of a trace tell what.
struct LoadColumns {
  const TraceColumn* sm;
  const TraceColumn* memory;
  const TraceColumn* encoder;
  const TraceColumn* decoder;
  const TraceColumn* power;
};

const TraceColumn* first_of(const Trace& trace, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const TraceColumn* column = trace.find(name)) return column;
  }
  return nullptr;
}

LoadColumns columns_of(const Trace& trace) {
  return {.sm = first_of(trace, {"utilization.gpu", "sm"}),
          .memory = first_of(trace, {"utilization.memory", "mem"}),
          .encoder = first_of(trace, {"utilization.encoder", "enc"}),
          .decoder = first_of(trace, {"utilization.decoder", "dec"}),
          .power = first_of(trace, {"power.draw", "power.draw.average", "power.draw.instant", "pwr"})};
}

class LoadReader {
 public:
  LoadReader(const Trace& trace, const TraceOverrides& overrides)
      : trace_(trace), columns_(columns_of(trace)), overrides_(overrides) {}

  std::expected<SetLoad, LocatedError> load_of(const TraceRow& row) {
    SetLoad load{.kind = LoadKind::training, .sm_percent = 0, .memory_percent = 0, .air_c = kSameAir, .for_ns = 0};
    if (overrides_.air_c) load.air_c = *overrides_.air_c;
    if (!read(row, columns_.sm, 100, 1, last_.sm) || !read(row, columns_.memory, 100, 1, last_.memory) ||
        !read(row, columns_.encoder, 100, 1, last_.encoder) || !read(row, columns_.decoder, 100, 1, last_.decoder) ||
        !read(row, columns_.power, kMostWatts, 1000, last_.power))
      return std::unexpected(error_);
    load.sm_percent = overrides_.sm_percent.value_or(last_.sm.value_or(0));
    load.memory_percent = overrides_.memory_percent.value_or(last_.memory.value_or(0));
    load.encoder_percent = last_.encoder.value_or(0);
    load.decoder_percent = last_.decoder.value_or(0);
    load.power_mw = last_.power.value_or(kOfKind);
    if (load.sm_percent + load.memory_percent + load.encoder_percent + load.decoder_percent == 0)
      load = {
          .kind = LoadKind::idle, .sm_percent = kOfKind, .memory_percent = kOfKind, .air_c = load.air_c, .for_ns = 0};
    return load;
  }

 private:
  // What a row does not tell is as it was.
  bool read(const TraceRow& row, const TraceColumn* column, double most, double factor,
            std::optional<std::uint32_t>& last) {
    if (column == nullptr) return true;
    const auto value = row.cells[trace_.place_of(*column)];
    if (!value) return true;
    if (*value < 0 || *value > most) {
      error_ = {trace_.file, row.line, 0,
                fmt::format("{} is {}; a number from 0 to {} was expected", column->name, *value, most)};
      return false;
    }
    last = static_cast<std::uint32_t>(std::lround(*value * factor));
    return true;
  }

  struct Last {
    std::optional<std::uint32_t> sm, memory, encoder, decoder, power;
  };
  const Trace& trace_;
  LoadColumns columns_;
  const TraceOverrides& overrides_;
  Last last_;
  LocatedError error_;
};

// The GPU of the trace that a GPU of the machine follows.
const TraceGpu* source_of(const Trace& trace, std::uint32_t gpu) {
  if (trace.gpus.size() == 1) return &trace.gpus.front();
  const auto named = std::ranges::find(trace.gpus, fmt::format("{}", gpu), &TraceGpu::name);
  if (named != trace.gpus.end()) return &*named;
  const bool indices =
      std::ranges::all_of(trace.gpus, [](const TraceGpu& each) { return whole_number(each.name).has_value(); });
  return indices || gpu >= trace.gpus.size() ? nullptr : &trace.gpus[gpu];
}

bool tells_shares(const Trace& trace) {
  const LoadColumns columns = columns_of(trace);
  for (const TraceColumn* column : {columns.sm, columns.memory, columns.encoder, columns.decoder}) {
    if (column == nullptr) continue;
    for (const TraceGpu& gpu : trace.gpus) {
      if (std::ranges::any_of(gpu.rows,
                              [&](const TraceRow& row) { return row.cells[trace.place_of(*column)].has_value(); }))
        return true;
    }
  }
  return false;
}

bool same(const SetLoad& a, const SetLoad& b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

std::expected<TraceReplay, LocatedError> TraceReplay::of(const Trace& trace, std::span<const std::uint32_t> gpus,
                                                         std::uint64_t every_ns, const TraceOverrides& overrides) {
  if (!overrides.sm_percent && !tells_shares(trace))
    return std::unexpected(LocatedError{
        trace.file, 0, 0, "tells in no row how busy a GPU was; query utilization.gpu, or say it with --sm"});
  TraceReplay replay;
  for (const std::uint32_t gpu : gpus) {
    const TraceGpu* const source = source_of(trace, gpu);
    if (source == nullptr)
      return std::unexpected(
          LocatedError{trace.file, 0, 0, fmt::format("has no rows of GPU {}; --gpu names those that it has", gpu)});
    LoadReader reader(trace, overrides);
    std::optional<SetLoad> before;
    for (const TraceRow& row : source->rows) {
      const auto load = reader.load_of(row);
      if (!load) return std::unexpected(load.error());
      if (!before || !same(*before, *load)) replay.changes_.push_back({row.at_ns, make_change(gpu, *load)});
      before = *load;
    }
    constexpr SetLoad kIdle{LoadKind::idle, kOfKind, kOfKind, kSameAir, 0};
    replay.changes_.push_back({source->rows.back().at_ns + every_ns, make_change(gpu, kIdle)});
  }
  std::ranges::stable_sort(replay.changes_, {}, &Timed::at_ns);
  return replay;
}

std::vector<Change> TraceReplay::take() {
  std::vector<Change> now;
  const std::uint64_t at_ns = next_ns();
  while (!done() && next_ns() == at_ns) {
    now.push_back(changes_.front().change);
    changes_.pop_front();
  }
  return now;
}

}  // namespace nvmlab::tool
