// SPDX-License-Identifier: Apache-2.0
//
// Processes, each in the list of each kind that it is of, in others by what it uses, and in the accounts of its GPU: a
// join by process id, of which the tables know the columns.
#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Bits of a process's kinds.
constexpr unsigned kCompute = 1;
constexpr unsigned kGraphics = 2;
constexpr unsigned kMps = 4;

constexpr std::string_view kList = "processes.running";

struct Running {
  std::vector<std::uint64_t> order;  // process ids
  Records records;                   // by id
  std::map<std::uint64_t, unsigned> kinds;
  const Call* source = nullptr;

  void note(std::uint64_t pid) {
    if (std::ranges::find(order, pid) == order.end()) order.push_back(pid);
  }
};

void add_members(Record& record, const Record& more) { record.insert(more.begin(), more.end()); }

void read_entries(Running& running, const Call& call, const Records& entries, unsigned kind) {
  running.source = &call;
  for (const auto& [place, entry] : entries) {
    const auto pid = number_of(entry, "pid");
    if (!pid) continue;
    running.note(*pid);
    running.kinds[*pid] |= kind;
    add_members(running.records[*pid], entry);
  }
}

// The newest function that answered.
void read_kind(const Context& context, Running& running, std::string_view kind, unsigned bit) {
  for (const auto* version : {"_v3", "_v2", ""}) {
    const Call* call = context.calls.good(fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version));
    if (says_items(call, "infos")) return read_entries(running, *call, items_of(*call, kList), bit);
  }
}

// All kinds in the order of the driver; no verdict says how the mode picks them, so the columns stand here.
void read_all_kinds(const Context& context, Running& running) {
  const Call* all = context.calls.good("nvmlDeviceGetRunningProcessDetailList", "mode=3");
  if (all == nullptr) return;
  const Field unnamed{};
  Records entries;
  for (const Json& item : list(all, "plist.procArray")) {
    Record& record = entries[entries.size()];
    put_column(record, "pid", item, "pid");
    for (const auto& [name, output] :
         {std::pair{"used_bytes", "usedGpuMemory"}, std::pair{"gpu_instance", "gpuInstanceId"},
          std::pair{"compute_instance", "computeInstanceId"},
          std::pair{"protected_bytes", "usedGpuCcProtectedMemory"}}) {
      const Json* value = member(item, output);
      const auto known = value == nullptr ? std::nullopt : literal_for(unnamed, *value, As::or_unknown);
      if (known) record.emplace(name, *known);
    }
  }
  read_entries(running, *all, entries, 0);
}

constexpr std::string_view kOfUse[] = {"nvmlDeviceGetProcessesUtilizationInfo", "nvmlDeviceGetProcessUtilization"};

// Lists of one kind say nothing of the order between kinds; these have all kinds.
void read_order(const Context& context, Running& running) {
  for (const auto function : kOfUse) {
    const Call* call = context.calls.good(function);
    if (call == nullptr) continue;
    for (const auto& [place, entry] : items_of(*call, kList)) {
      if (const auto pid = number_of(entry, "pid")) running.note(*pid);
    }
  }
  if (!running.order.empty()) return;
  for (const Json& item : list(context.calls.good("nvmlDeviceGetAccountingPids"), "pids")) {
    if (const auto pid = number(&item)) running.note(*pid);  // behind those that have ended
  }
}

void read_use(const Context& context, Running& running) {
  for (const auto function : kOfUse) {
    const Call* call = context.calls.good(function);
    if (call == nullptr) continue;
    for (const auto& [place, entry] : items_of(*call, kList)) {
      const auto record = running.records.find(number_of(entry, "pid").value_or(0));
      if (record != running.records.end()) add_members(record->second, entry);
    }
  }
}

void read_times(Record& record, const Json& stats) {
  if (number(member(stats, "startTime")).value_or(0) != 0) put_column(record, "started_us", stats, "startTime");
  const auto peak = number(member(stats, "maxMemoryUsage"));
  const bool known = peak && *peak != ~std::uint64_t{0} && *peak != 0xFFFFFFFF;
  if (known && number_of(record, "used_bytes") != peak) record.try_emplace("peak_bytes", *peak);
}

// Accounting keeps processes that have ended before those that run.
void read_accounting(const Context& context, Running& running) {
  const Call* pids = context.calls.good("nvmlDeviceGetAccountingPids");
  if (!says_items(pids, "pids")) return;
  const bool computes_alone = context.calls.of("nvmlDeviceGetGraphicsRunningProcesses").empty();
  ListDraft ended{.source = pids};
  for (const Json& item : list(pids, "pids")) {
    const auto pid = number(&item);
    const Call* call = pid ? context.calls.good("nvmlDeviceGetAccountingStats", fmt::format("pid={}", *pid)) : nullptr;
    const Json* stats = call == nullptr ? nullptr : member(call->out, "stats");
    if (stats == nullptr) continue;
    const bool runs = number(member(*stats, "isRunning")).value_or(0) != 0;
    // The only word of a process with graphics, from a driver that lists those that compute alone.
    if (runs && computes_alone && !running.records.contains(*pid)) {
      running.note(*pid);
      running.records[*pid].emplace("pid", *pid);
      running.kinds[*pid] = kGraphics;
    }
    if (runs != running.records.contains(*pid)) continue;  // it ended while the recording was made
    Record& record = runs ? running.records[*pid] : ended.records[ended.count++];
    record.try_emplace("pid", *pid);
    read_times(record, *stats);
    put_column(record, runs ? "sm_percent" : "gpu_percent", *stats, "gpuUtilization");
    put_column(record, "memory_percent", *stats, "memoryUtilization");
    if (!runs) put_column(record, "time_ms", *stats, "time");
  }
  // While accounting is off the list is empty, whatever the board remembers.
  if (const FieldValue* mode = context.value("modes.accounting"); mode != nullptr && mode->label() == "enabled")
    context.set("accounting.ended", ended);
}

}  // namespace

void read_processes(const Context& context, const CallIndex& machine) {
  Running running;
  read_order(context, running);
  read_all_kinds(context, running);
  read_kind(context, running, "Compute", kCompute);
  read_kind(context, running, "Graphics", kGraphics);
  read_kind(context, running, "MPSCompute", kMps);
  if (running.source == nullptr) return;
  read_use(context, running);
  read_accounting(context, running);
  ListDraft processes{.source = running.source};
  for (const std::uint64_t pid : running.order) {
    if (!running.records.contains(pid)) continue;  // it has ended
    Record& record = processes.records[processes.count++];
    record = running.records[pid];
    record.emplace("kinds", running.kinds[pid]);
    put_text(record, "name", machine.good("nvmlSystemGetProcessName", fmt::format("pid={}", pid)), "name");
  }
  context.set(kList, processes);
}

}  // namespace nvmlab::importer::replay
