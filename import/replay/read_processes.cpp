// SPDX-License-Identifier: Apache-2.0
//
// Processes, and sessions that encode or capture frames: the inverse of drivers/nvml/hooks/processes.cpp,
// process_use.cpp and sessions.cpp. A process is in the list of each kind that it is of.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Bits of a process's kinds.
constexpr unsigned kCompute = 1;
constexpr unsigned kGraphics = 2;
constexpr unsigned kMps = 4;

// Numbers that stand for "not known" in the entries.
bool unknown(std::uint64_t value) { return value == ~std::uint64_t{0} || value == 0xFFFFFFFF; }

struct Running {
  std::vector<std::string> order;  // process ids
  std::map<std::string, Record> records;
  std::map<std::string, unsigned> kinds;
  const Call* told_by = nullptr;

  Record& of(const std::string& pid) {
    if (std::ranges::find(order, pid) == order.end()) order.push_back(pid);
    return records[pid];
  }
};

void put_known(Record& record, std::string_view name, const Json& item, std::string_view output) {
  const auto value = number(member(item, output));
  if (value && !unknown(*value)) record.try_emplace(std::string(name), std::to_string(*value));
}

void read_entries(Running& running, const Call& call, const Json& entries, unsigned kind) {
  running.told_by = &call;
  for (const Json& item : entries) {
    const auto pid = yaml_of(member(item, "pid"));
    if (pid.empty()) continue;
    Record& record = running.of(pid);
    running.kinds[pid] |= kind;
    put_known(record, "used_bytes", item, "usedGpuMemory");
    put_known(record, "gpu_instance", item, "gpuInstanceId");
    put_known(record, "compute_instance", item, "computeInstanceId");
    put_known(record, "protected_bytes", item, "usedGpuCcProtectedMemory");
  }
}

// The newest function that answered.
void read_kind(const Context& context, Running& running, std::string_view kind, unsigned bit) {
  for (const auto* version : {"_v3", "_v2", ""}) {
    const Call* call = context.calls.good(fmt::format("nvmlDeviceGet{}RunningProcesses{}", kind, version));
    if (!lists(call, "infos")) continue;
    return read_entries(running, *call, list(call, "infos"), bit);
  }
}

// Lists of one kind say nothing of the order between kinds; these have all kinds.
void read_order(const Context& context, Running& running) {
  for (const auto& [function, output] :
       {std::pair{"nvmlDeviceGetProcessesUtilizationInfo", "procesesUtilInfo.procUtilArray"},
        std::pair{"nvmlDeviceGetProcessUtilization", "utilization"}}) {
    for (const Json& item : list(context.calls.good(function), output)) {
      const auto pid = yaml_of(member(item, "pid"));
      if (!pid.empty() && std::ranges::find(running.order, pid) == running.order.end()) running.order.push_back(pid);
    }
  }
  if (!running.order.empty()) return;
  for (const Json& item : list(context.calls.good("nvmlDeviceGetAccountingPids"), "pids"))
    running.order.push_back(yaml_of(&item));  // behind those that have ended
}

void read_use(const Context& context, Running& running) {
  struct Share {
    std::string_view name;
    std::string_view output;
  };
  constexpr std::array shares{Share{"sm_percent", "smUtil"},       Share{"memory_percent", "memUtil"},
                              Share{"encoder_percent", "encUtil"}, Share{"decoder_percent", "decUtil"},
                              Share{"jpeg_percent", "jpgUtil"},    Share{"ofa_percent", "ofaUtil"}};
  for (const auto& [function, output] :
       {std::pair{"nvmlDeviceGetProcessesUtilizationInfo", "procesesUtilInfo.procUtilArray"},
        std::pair{"nvmlDeviceGetProcessUtilization", "utilization"}}) {
    for (const Json& item : list(context.calls.good(function), output)) {
      const auto record = running.records.find(yaml_of(member(item, "pid")));
      if (record == running.records.end()) continue;
      for (const auto& [name, share] : shares) {
        if (const auto value = yaml_of(member(item, share)); !value.empty())
          record->second.try_emplace(std::string(name), value);
      }
    }
  }
}

// Accounting keeps processes that have ended before those that run.
void read_accounting(const Context& context, Running& running) {
  const Call* pids = context.calls.good("nvmlDeviceGetAccountingPids");
  if (!lists(pids, "pids")) return;
  const bool computes_alone = context.calls.of("nvmlDeviceGetGraphicsRunningProcesses").empty();
  Records ended;
  for (const Json& item : list(pids, "pids")) {
    const auto pid = yaml_of(&item);
    const Call* call = context.calls.good("nvmlDeviceGetAccountingStats", fmt::format("pid={}", pid));
    const Json* stats = call == nullptr ? nullptr : member(call->out, "stats");
    if (stats == nullptr) continue;
    const bool runs = number(member(*stats, "isRunning")).value_or(0) != 0;
    // The only word of a process with graphics, from a driver that lists those that compute alone.
    if (runs && computes_alone && !running.records.contains(pid)) {
      running.of(pid);
      running.kinds[pid] = kGraphics;
    }
    const auto known = running.records.find(pid);
    if (runs != (known != running.records.end())) continue;  // it ended while the recording was made
    Record& record = runs ? known->second : ended[ended.size()];
    const auto began = yaml_of(member(*stats, "startTime"));
    if (!began.empty() && began != "0") record.try_emplace("started_us", began);
    const auto peak = number(member(*stats, "maxMemoryUsage"));
    const auto held = record.find("used_bytes");
    if (peak && !unknown(*peak) && (held == record.end() || held->second != std::to_string(*peak)))
      record.try_emplace("peak_bytes", std::to_string(*peak));
    if (runs) {  // what samples say of now counts for more
      record.try_emplace("sm_percent", yaml_of(member(*stats, "gpuUtilization")));
      record.try_emplace("memory_percent", yaml_of(member(*stats, "memoryUtilization")));
      continue;
    }
    record["pid"] = pid;
    record["gpu_percent"] = yaml_of(member(*stats, "gpuUtilization"));
    record["memory_percent"] = yaml_of(member(*stats, "memoryUtilization"));
    record["time_ms"] = yaml_of(member(*stats, "time"));
  }
  // While accounting is off the list is empty, whatever the board remembers.
  if (const FieldValue* mode = context.value("modes.accounting"); mode != nullptr && mode->label() == "enabled")
    context.tell("accounting.ended", ended, ended.size(), *pids);
}

struct Column {
  std::string_view name;
  std::string_view output;
};

void read_list(const Context& context, const Call* call, std::string_view output, std::span<const Column> columns,
               std::string_view field) {
  if (!lists(call, output)) return;
  Records records;
  for (const Json& item : list(call, output)) {
    Record& record = records[records.size()];
    for (const auto& [name, from] : columns) {
      if (const auto value = yaml_of(member(item, from)); !value.empty()) record.emplace(name, value);
    }
  }
  context.tell(field, records, records.size(), *call);
}

}  // namespace

void read_processes(const Context& context, const Sheet& machine) {
  Running running;
  read_order(context, running);
  // This list has processes of all kinds, in the order of the driver.
  if (const Call* all = context.calls.good("nvmlDeviceGetRunningProcessDetailList", "mode=3"))
    read_entries(running, *all, list(all, "plist.procArray"), 0);
  read_kind(context, running, "Compute", kCompute);
  read_kind(context, running, "Graphics", kGraphics);
  read_kind(context, running, "MPSCompute", kMps);
  if (running.told_by == nullptr) return;
  read_use(context, running);
  read_accounting(context, running);
  Records records;
  for (const std::string& pid : running.order) {
    if (!running.records.contains(pid)) continue;  // it has ended
    Record& record = records[records.size()];
    record = running.records[pid];
    record["pid"] = pid;
    record["kinds"] = std::to_string(running.kinds[pid]);
    const Call* name = machine.good("nvmlSystemGetProcessName", fmt::format("pid={}", pid));
    if (name == nullptr) continue;
    if (const auto text = text_yaml(member(name->out, "name")); !text.empty()) record["name"] = text;
  }
  context.tell("processes.running", records, records.size(), *running.told_by);
}

void read_sessions(const Context& context) {
  constexpr std::array encoders{Column{"id", "sessionId"},
                                Column{"pid", "pid"},
                                Column{"codec", "codecType"},
                                Column{"width", "hResolution"},
                                Column{"height", "vResolution"},
                                Column{"average_fps", "averageFps"},
                                Column{"average_latency_us", "averageLatency"}};
  constexpr std::array captures{Column{"id", "sessionId"},
                                Column{"pid", "pid"},
                                Column{"display", "displayOrdinal"},
                                Column{"kind", "sessionType"},
                                Column{"flags", "sessionFlags"},
                                Column{"max_width", "hMaxResolution"},
                                Column{"max_height", "vMaxResolution"},
                                Column{"width", "hResolution"},
                                Column{"height", "vResolution"},
                                Column{"average_fps", "averageFPS"},
                                Column{"average_latency_us", "averageLatency"}};
  read_list(context, context.calls.good("nvmlDeviceGetEncoderSessions"), "sessionInfos", encoders,
            "utilization.encoder_sessions");
  read_list(context, context.calls.good("nvmlDeviceGetFBCSessions"), "sessionInfo", captures,
            "utilization.fbc_sessions");
}

}  // namespace nvmlab::importer::replay
