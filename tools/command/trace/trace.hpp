// SPDX-License-Identifier: Apache-2.0
//
// What nvidia-smi printed of boards over time: `dmon` (with -o D and T, -s, --format csv too), and
// `--query-gpu=... --format=csv` with -l or -lms. Cells that say N/A, [Not Supported] and the like are absent.
// Tests: tests/unit/command/trace_test.cpp, tests/fuzz/trace_fuzzer.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/located_error.hpp"

namespace nvmlab::tool {

struct TraceRow {
  std::uint64_t at_ns = 0;  // since the first row of the trace
  std::size_t line = 0;
  std::vector<std::optional<double>> cells;  // as many as the trace has columns
};

struct TraceGpu {
  std::string name;  // its index, or whatever else the trace names it by; empty where it does not
  std::vector<TraceRow> rows;
};

struct TraceColumn {
  std::string name;        // "power.draw", or "pwr" of dmon
  std::string unit;        // "W"
  std::size_t number = 0;  // in its lines, from 1
};

struct Trace {
  std::string file;
  std::vector<TraceColumn> columns;
  std::vector<TraceGpu> gpus;

  const TraceColumn* find(std::string_view name) const;
  std::size_t place_of(const TraceColumn& column) const { return static_cast<std::size_t>(&column - columns.data()); }
};

// `every_ns` parts rows that have no time of their own. A last line that was cut off is left out.
std::expected<Trace, LocatedError> read_trace(std::string_view text, const std::string& file, std::uint64_t every_ns);

}  // namespace nvmlab::tool
