// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/report/goals.hpp"

#include <fmt/format.h>

#include <cmath>

namespace nvmlab::bench {
namespace {

constexpr double kFieldsAtOnce = 20;     // bench/calls.cpp
constexpr double kListedProcesses = 32;  // bench/driver.hpp
constexpr double kUnknown = NAN;

double ratio(const Results& results, const std::string& name, double per = 1) {
  const double empty = results.median_ns("call/empty_pointer");
  const double ns = results.median_ns(name);
  return empty > 0 && ns > 0 ? ns / per / empty : kUnknown;
}

double starts(const Results& results, const char* from) {
  const double empty = results.median_ns("start/empty_library");
  const double ns = results.median_ns(std::string("start/") + from);
  return empty > 0 && ns > 0 ? ns / empty : kUnknown;
}

// KiB that a start adds beyond what the empty library does.
double memory(const Results& results, const char* counter) {
  const Measured* ours = results.find("start/compiled_machine");
  const Measured* empty = results.find("start/empty_library");
  if (ours == nullptr || empty == nullptr) return kUnknown;
  return ours->counters.at(counter).median() - empty->counters.at("rss_kib").median();
}

double largest_stack(const Exports& exports) {
  double most = 0;
  for (const Export& each : exports.all)
    most = std::max(most, each.stack);
  return most;
}

double each_process(const Results& results) {
  const double none = results.median_ns("call/processes/none");
  const double listed = results.median_ns("call/processes/listed");
  return none > 0 && listed > 0 ? (listed - none) / kListedProcesses : kUnknown;
}

struct Goal {
  const char* what;
  const char* unit;
  double limit;
  double (*measured)(const Results& results, const Exports& exports);
};

constexpr Goal kGoals[] = {
    {"a number that stays: `nvmlDeviceGetNumGpuCores`", "x empty call", 1.3,
     [](const Results& r, const Exports&) { return ratio(r, "call/static/nvmlDeviceGetNumGpuCores"); }},
    {"a number that moves: `nvmlDeviceGetPowerUsage`", "x empty call", 1.3,
     [](const Results& r, const Exports&) { return ratio(r, "call/live/nvmlDeviceGetPowerUsage"); }},
    {"`nvmlDeviceGetMemoryInfo`", "x empty call", 2.5,
     [](const Results& r, const Exports&) { return ratio(r, "call/live/nvmlDeviceGetMemoryInfo"); }},
    {"`nvmlDeviceGetHandleByIndex_v2`", "x empty call", 2,
     [](const Results& r, const Exports&) { return ratio(r, "call/static/nvmlDeviceGetHandleByIndex_v2"); }},
    {"`nvmlDeviceGetName`", "x empty call", 3,
     [](const Results& r, const Exports&) { return ratio(r, "call/string/nvmlDeviceGetName"); }},
    {"`nvmlDeviceGetUUID`", "x empty call", 3,
     [](const Results& r, const Exports&) { return ratio(r, "call/string/nvmlDeviceGetUUID"); }},
    {"an empty list of processes", "x empty call", 5,
     [](const Results& r, const Exports&) { return ratio(r, "call/processes/none"); }},
    {"each process in a list", "ns", 10, [](const Results& r, const Exports&) { return each_process(r); }},
    {"each of 20 field values", "x empty call", 2.5,
     [](const Results& r, const Exports&) { return ratio(r, "call/fields/nvmlDeviceGetFieldValues", kFieldsAtOnce); }},
    {"stack of any getter", "bytes", 8192, [](const Results&, const Exports& e) { return largest_stack(e); }},
    {"`dlopen` and `nvmlInit_v2`, the machine in the library", "x empty library", 1.6,
     [](const Results& r, const Exports&) { return starts(r, "built_in_machine"); }},
    {"the same, a compiled machine", "x empty library", 2,
     [](const Results& r, const Exports&) { return starts(r, "compiled_machine"); }},
    {"the same, YAML", "us", 1500, [](const Results& r, const Exports&) { return r.median_ns("start/yaml") / 1e3; }},
    {"memory after it, beyond an empty library's", "KiB", 150,
     [](const Results& r, const Exports&) { return memory(r, "rss_kib"); }},
    {"and after a look at what monitors read of 8 GPUs", "KiB", 560,
     [](const Results& r, const Exports&) { return memory(r, "rss_used_kib"); }},
};

std::string figure(double value) {
  if (std::isnan(value)) return "not measured";
  return value < 100 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
}

}  // namespace

std::string goals_table(const Results& now, const Exports& exports, const Results* before,
                        const Exports* exports_before) {
  std::string text = "## Goals\n\n";
  text += before == nullptr ? "| what | in | goal | measured | |\n|---|---|---|---|---|\n"
                            : "`before` is an older build, measured on the same machine right after.\n\n"
                              "| what | in | goal | measured | | before |\n|---|---|---|---|---|---|\n";
  for (const Goal& goal : kGoals) {
    const double value = goal.measured(now, exports);
    text += fmt::format("| {} | {} | {} | {} | {} |", goal.what, goal.unit, goal.limit, figure(value),
                        value <= goal.limit ? "met" : "not met");
    if (before != nullptr) text += fmt::format(" {} |", figure(goal.measured(*before, *exports_before)));
    text += "\n";
  }
  return text + "\n";
}

std::string exports_tables(const Exports& exports) {
  std::map<std::string, std::vector<Export>> groups;
  for (const Export& each : exports.all)
    groups[each.group].push_back(each);
  std::string text = fmt::format(
      "## Every getter\n\nEach of {} getters on one GPU of `dgx-h100` beside a second one, with every choice of "
      "arguments; the dearest choice counts. `refused` are\nthose that this board does not support. An empty function "
      "that is called in the same way takes {:.1f} ns.\n\n"
      "| what it gives | functions | median ns | x empty | slowest ns | most stack, bytes "
      "|\n|---|---|---|---|---|---|\n",
      exports.all.size(), exports.empty_ns);
  for (auto& [group, functions] : groups) {
    std::ranges::sort(functions, {}, &Export::ns);
    const double median = functions[functions.size() / 2].ns;
    const auto most = std::ranges::max(functions, {}, &Export::stack).stack;
    text += fmt::format("| {} | {} | {:.1f} | {:.1f} | {:.1f} | {:.0f} |\n", group, functions.size(), median,
                        exports.empty_ns > 0 ? median / exports.empty_ns : 0, functions.back().ns, most);
  }
  std::vector<Export> slowest = exports.all;
  std::ranges::sort(slowest, std::ranges::greater{}, &Export::ns);
  slowest.resize(std::min<std::size_t>(slowest.size(), 10));
  text += "\nThe ten slowest:\n\n| function | ns | stack, bytes |\n|---|---|---|\n";
  for (const Export& each : slowest)
    text += fmt::format("| `{}` | {:.0f} | {:.0f} |\n", each.name, each.ns, each.stack);
  return text + "\n";
}

}  // namespace nvmlab::bench
