// SPDX-License-Identifier: Apache-2.0
#include "command/plot/readings.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "compiler/paths.hpp"

namespace nvmlab::tool {
namespace {

struct PeopleUnit {
  std::string_view unit;
  std::string_view shown;
  double factor;
};
constexpr PeopleUnit kUnits[] = {{"mW", "W", 1e-3},   {"mJ", "kJ", 1e-6},    {"us", "s", 1e-6},
                                 {"ns", "s", 1e-9},   {"B", "GB", 1e-9},     {"KB/s", "MB/s", 1e-3},
                                 {"MiB", "MiB", 1.0}, {"kbps", "Mbps", 1e-3}};
constexpr const char* kUsual[] = {"utilization.gpu",
                                  "utilization.memory",
                                  "power.draw",
                                  "temperature.gpu",
                                  "temperature.memory",
                                  "clocks.sm",
                                  "clocks.current.sm",
                                  "sm",
                                  "mem",
                                  "pwr",
                                  "gtemp",
                                  "mtemp",
                                  "pclk"};

PeopleUnit unit_for_people(std::string_view unit) {
  const auto found = std::ranges::find(kUnits, unit, &PeopleUnit::unit);
  return found == std::end(kUnits) ? PeopleUnit{unit, unit, 1} : *found;
}

std::optional<double> number_in(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// dmon names columns by a few letters.
std::string unit_of_column(const TraceColumn& column) {
  if (!column.unit.empty()) return column.unit;
  return column.name.starts_with("temperature.") ? "C" : "";
}

// The times at which any GPU of a trace was looked at.
std::map<std::uint64_t, std::size_t> times_of(const Trace& trace) {
  std::map<std::uint64_t, std::size_t> places;
  for (const TraceGpu& gpu : trace.gpus) {
    for (const TraceRow& row : gpu.rows)
      places.emplace(row.at_ns, 0);
  }
  std::size_t place = 0;
  for (auto& [at_ns, index] : places)
    index = place++;
  return places;
}

void fill_gaps(std::vector<std::optional<double>>& values) {
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (!values[i]) values[i] = values[i - 1];
  }
}

bool tells_numbers(const Series& series) {
  return std::ranges::any_of(series.values, [](const auto& value) { return value.has_value(); });
}

std::expected<std::vector<const TraceColumn*>, std::string> columns_named(const Trace& trace,
                                                                          const std::vector<std::string>& names) {
  std::vector<const TraceColumn*> columns;
  if (names.empty()) {
    for (const char* usual : kUsual) {
      if (const TraceColumn* column = trace.find(usual)) columns.push_back(column);
    }
    if (columns.empty())
      return std::unexpected(trace.file + ": has none of the usual columns; name those that are wanted");
    return columns;
  }
  std::vector<std::string> known;
  for (const TraceColumn& column : trace.columns)
    known.push_back(column.name);
  for (const std::string& name : names) {
    columns.push_back(trace.find(name));
    if (columns.back() == nullptr)
      return std::unexpected(
          fmt::format("{}: no column {}; {}", trace.file, in_quotes(name), hint(name, known, "its columns")));
  }
  return columns;
}

}  // namespace

std::expected<Readings, std::string> Readings::of(const Machine& machine, const std::vector<std::string>& fields,
                                                  std::span<const std::uint32_t> gpus) {
  Readings readings;
  for (const std::string& path : fields) {
    const auto ref = compiler::find_field(path);
    if (!ref) return std::unexpected(ref.error());
    for (const std::uint32_t gpu : gpus) {
      if (const auto value = machine.get(path, gpu); !value) return std::unexpected(value.error());
      const std::string label = gpus.size() > 1 ? fmt::format("{} of GPU {}", path, gpu) : path;
      const PeopleUnit unit = unit_for_people(ref->field->unit);
      readings.fields_.push_back({path, label, gpu, unit.factor, readings.chart_.series.size()});
      readings.chart_.series.push_back({label, std::string(unit.shown), {}});
      if (ref->topic->of_node) break;
    }
  }
  return readings;
}

void Readings::look(const Machine& machine, double seconds) {
  chart_.seconds.push_back(seconds);
  for (const Field& field : fields_) {
    auto& values = chart_.series[field.series].values;
    values.emplace_back();
    const auto value = machine.get(field.path, field.gpu);
    if (!value) continue;
    if (const auto number = number_in(*value)) {
      values.back() = *number * field.factor;
      continue;
    }
    for (std::size_t begin = 0; begin < value->size();) {  // flags stand side by side
      const std::size_t end = std::min(value->find_first_of(" ,|[]", begin), value->size());
      if (end > begin) note_word(field.label, value->substr(begin, end - begin));
      begin = end + 1;
    }
  }
}

void Readings::note_word(const std::string& label, const std::string& word) {
  const std::string name = fmt::format("{}: {}", label, word);
  auto found = std::ranges::find(chart_.states, name, &States::name);
  if (found == chart_.states.end()) found = chart_.states.insert(chart_.states.end(), States{name, {}});
  found->holds.resize(chart_.seconds.size());
  found->holds.back() = true;
}

Chart Readings::take() && {
  // What is a word at one time may be a bare 0 at another.
  const auto is_words = [this](const Series& series) {
    return std::ranges::any_of(chart_.states,
                               [&](const States& each) { return each.name.starts_with(series.name + ": "); });
  };
  std::erase_if(chart_.series, [&](const Series& series) { return !tells_numbers(series) || is_words(series); });
  for (States& states : chart_.states)
    states.holds.resize(chart_.seconds.size());
  return std::move(chart_);
}

std::expected<Chart, std::string> chart_of(const Trace& trace, const std::vector<std::string>& columns) {
  const auto wanted = columns_named(trace, columns);
  if (!wanted) return std::unexpected(wanted.error());
  Chart chart;
  const auto places = times_of(trace);
  for (const auto& [at_ns, place] : places)
    chart.seconds.push_back(static_cast<double>(at_ns) / 1e9);
  for (const TraceColumn* column : *wanted) {
    const std::string told = unit_of_column(*column);
    const PeopleUnit unit = unit_for_people(told);
    for (const TraceGpu& gpu : trace.gpus) {
      Series series{trace.gpus.size() > 1 ? fmt::format("{} of GPU {}", column->name, gpu.name) : column->name,
                    std::string(unit.shown), std::vector<std::optional<double>>(chart.seconds.size())};
      for (const TraceRow& row : gpu.rows) {
        const auto& value = row.cells[trace.place_of(*column)];
        if (value) series.values[places.at(row.at_ns)] = *value * unit.factor;
      }
      if (trace.gpus.size() > 1) fill_gaps(series.values);  // the others were looked at in between
      if (tells_numbers(series)) chart.series.push_back(std::move(series));
    }
  }
  return chart;
}

}  // namespace nvmlab::tool
