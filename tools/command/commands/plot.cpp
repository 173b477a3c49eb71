// SPDX-License-Identifier: Apache-2.0
// nvmlab plot: writes readings over time as an SVG. Tests: tests/command/plot_test.cpp.
#include <algorithm>
#include <map>

#include "base/duration.hpp"
#include "base/nearest.hpp"
#include "base/write_file.hpp"
#include "command/cli/command.hpp"
#include "command/cli/output.hpp"
#include "command/cli/shared_options.hpp"
#include "command/machine/chosen_gpus.hpp"
#include "command/machine/machine_time.hpp"
#include "command/plot/readings.hpp"
#include "command/trace/trace_file.hpp"

namespace nvmlab::tool {
namespace {

constexpr std::uint64_t kMostLooks = 100'000;

struct PlotCommand {
  std::vector<std::string> fields;
  std::string machine_name;
  std::string gpu_selection = "0";
  std::string output;
  std::optional<std::string> span;
  std::optional<std::string> every;
  std::optional<std::string> trace_file;
  std::optional<std::string> replayed;
  std::optional<std::string> title;

  void declare(CommandLine& line);
  int run() const;
  int plot_trace() const;
  int plot_machine() const;
  int look(ChosenGpus& chosen, Readings& readings, TraceReplay* replay) const;
  int write(const Chart& chart) const;
  std::expected<std::uint64_t, std::string> time_of(const std::optional<std::string>& word, const char* option,
                                                    std::uint64_t without) const;
};

void PlotCommand::declare(CommandLine& line) {
  line.argument("FIELD", fields, "Fields of the machine, or columns of the file; the usual ones without one")
      .complete(Complete::field);
  add_machine(line, machine_name);
  add_gpu_selection(line, gpu_selection);
  add_output(line, output, "Write it there");
  line.option("--for", "TIME", span, "Look for so long of machine time; 1h");
  line.option("--every", "TIME", every, "Look so often; 5s. Of a file that tells no times: what parts its rows; 1s");
  line.option("--trace", "FILE", trace_file,
              "What `nvidia-smi dmon` or `--query-gpu --format=csv` printed, in place of a machine")
      .complete(Complete::file);
  line.option("--load", "FILE", replayed, "Meanwhile the GPUs do what such a file shows, as by `nvmlab load`")
      .complete(Complete::file);
  line.option("--title", "HEADING", title, "What stands above it");
}

std::expected<std::uint64_t, std::string> PlotCommand::time_of(const std::optional<std::string>& word,
                                                               const char* option, std::uint64_t without) const {
  if (!word) return without;
  const auto time = parse_duration(*word);
  if (!time) return std::unexpected(fmt::format("{} {}", option, time.error()));
  if (*time == 0 || *time > kLongestLoadNs)
    return std::unexpected(fmt::format("{} takes a time up to 100d, not {}", option, in_quotes(*word)));
  return *time;
}

int PlotCommand::write(const Chart& chart) const {
  std::map<std::string, std::size_t> of_unit;
  for (const Series& series : chart.series) {
    if (++of_unit[series.unit] > kMostSeriesOfPanel)
      return complain("more than {} lines in {}; fewer fields or GPUs can be told apart", kMostSeriesOfPanel,
                      series.unit.empty() ? "one panel" : series.unit);
  }
  if (chart.series.empty() && chart.states.empty())
    return complain("none of these has a value; there is nothing to plot");
  const std::string svg = svg_of(chart);
  const auto* const bytes = reinterpret_cast<const std::byte*>(svg.data());
  constexpr unsigned kReadableByAll = 0644;
  const auto written = write_file(output, {bytes, bytes + svg.size()}, kReadableByAll);
  return written ? kGood : complain(written.error());
}

int PlotCommand::plot_trace() const {
  if (span || replayed)
    return misused("--trace is a file, which has its own times; --for and --load are for a machine");
  const auto every_ns = interval_of_rows(every);
  if (!every_ns) return misused(every_ns.error());
  const auto trace = load_trace(*trace_file, *every_ns);
  if (!trace) {
    print_problem(trace.error().text());
    return kMisused;
  }
  auto chart = chart_of(*trace, fields);
  if (!chart) return misused(chart.error());
  chart->title = title.value_or(*trace_file);
  return write(*chart);
}

// Looks again and again; what a trace does comes before the look of the same time.
int PlotCommand::look(ChosenGpus& chosen, Readings& readings, TraceReplay* replay) const {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  const auto for_ns = time_of(span, "--for", 3600 * kSecond);
  if (!for_ns) return misused(for_ns.error());
  const auto every_ns = time_of(every, "--every", 5 * kSecond);
  if (!every_ns) return misused(every_ns.error());
  if (*for_ns / *every_ns > kMostLooks)
    return misused(
        fmt::format("--for and --every make {} looks; at most {} were expected", *for_ns / *every_ns, kMostLooks));
  const HeldSignals signals;
  Machine& machine = chosen.machine;
  const std::uint64_t beginning_ns = machine.clock().now_ns;
  for (std::uint64_t at_ns = 0; at_ns <= *for_ns;) {
    const bool loads = replay != nullptr && !replay->done() && replay->next_ns() <= at_ns;
    const std::uint64_t due_ns = loads ? replay->next_ns() : at_ns;
    if (const Arrival arrival = wait_until(machine, signals, beginning_ns + due_ns); arrival != Arrival::there) {
      const std::string why = why_not_there(arrival, machine);
      return why.empty() ? kFailed : complain("plot: {}", why);
    }
    if (loads) {
      const auto changes = replay->take();
      if (const auto made = machine.apply(changes); !made) return complain(made.error().text);
      continue;
    }
    readings.look(machine, static_cast<double>(at_ns) / 1e9);
    at_ns += *every_ns;
  }
  return kGood;
}

int PlotCommand::plot_machine() const {
  auto chosen = choose_gpus(machine_name, gpu_selection);
  if (!chosen) return complain(chosen.error());
  std::optional<TraceReplay> replay;
  if (replayed) {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const auto trace = load_trace(*replayed, kSecond);
    auto read = trace ? TraceReplay::of(*trace, chosen->gpus, kSecond, {}) : std::unexpected(trace.error());
    if (!read) {
      print_problem(read.error().text());
      return kMisused;
    }
    replay = std::move(*read);
  }
  static const std::vector<std::string> usual = {"utilization.gpu_percent", "power.draw_mw", "thermal.gpu_c",
                                                 "clocks.graphics_mhz", "clocks.event_reasons"};
  auto readings = Readings::of(chosen->machine, fields.empty() ? usual : fields, chosen->gpus);
  if (!readings) return complain(readings.error());
  if (const int code = look(*chosen, *readings, replay ? &*replay : nullptr); code != kGood) return code;
  Chart chart = std::move(*readings).take();
  chart.title = title.value_or(fmt::format("GPU {} of {}", gpu_selection, chosen->machine.name()));
  return write(chart);
}

int PlotCommand::run() const {
  if (output.empty()) return misused("'plot' needs --output FILE");
  return trace_file ? plot_trace() : plot_machine();
}

constexpr Example kPlotExamples[] = {
    {"nvmlab plot --for 1h --every 5s --output hour.svg", "an hour of GPU 0; of a virtual clock in less than a second"},
    {"nvmlab plot --gpu 0-3 thermal.gpu_c --for 10m --output heat.svg", "four temperatures in one panel"},
    {"nvmlab plot --trace dmon.txt --output seen.svg", "what `nvidia-smi dmon` saw"},
    {"nvmlab plot --load dmon.txt --for 20m --output made.svg", "what a machine makes of the same load"},
};

}  // namespace

extern const Command kPlot{
    .name = "plot",
    .summary = "Write readings over time as an SVG",
    .about =
        "Looks at fields of a machine for a while and draws them: a panel for each unit, and bars for fields that are "
        "words, such as event reasons. A virtual clock is advanced meanwhile, with any other the command takes as long "
        "as --for says. The picture can be read in light and dark. With --trace it draws a file of nvidia-smi instead.",
    .examples = kPlotExamples,
    .declare = declared<PlotCommand>,
    .not_in_scenarios = true,
};

}  // namespace nvmlab::tool
