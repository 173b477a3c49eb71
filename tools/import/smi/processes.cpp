// SPDX-License-Identifier: Apache-2.0
//
// Lists of processes: what runs, and what accounting remembers.
#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compiler/texts.hpp"
#include "engine/state/generated/state.hpp"
#include "import/smi/gpu_log.hpp"

namespace nvmlab::importer {

unsigned kinds_of(std::string_view printed) {
  unsigned kinds = 0;
  for (char letter : printed)
    kinds |= letter == 'C' ? 1U : letter == 'G' ? 2U : letter == 'M' ? 4U : 0U;
  return kinds;
}

std::string fitting(std::string_view name) {
  constexpr std::size_t room = decltype(Processes::Process::name)::capacity - 1;
  name = name.substr(0, room);
  while (compiler::text_flaw(name) != nullptr)
    name.remove_suffix(1);
  return std::string(name);
}

namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

bool is_pid(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// What accounting says of one process.
struct AccountedProcess {
  const capture::Leaf* pid = nullptr;
  std::map<std::string_view, const capture::Leaf*> parts;  // by the end of the path
  bool running = false;
};

std::vector<AccountedProcess> accounted_processes(const GpuLog& log) {
  const bool xml = log.xml();
  const std::string_view list = xml ? "accounted_processes/accounted_process_info[" : "Accounted Processes/Process ID[";
  std::vector<AccountedProcess> found;
  std::string_view last;
  for (const auto* leaf : log.index.leaves()) {
    const std::string_view path = leaf->path;
    const auto close = path.find(']', list.size());
    if (!path.starts_with(list) || close == std::string_view::npos) continue;
    if (const auto index = path.substr(0, close); index != last) {
      last = index;
      found.emplace_back();
    }
    AccountedProcess& process = found.back();
    const auto part = path.substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf;
    if (part == "/is_running" || part == "/Is Running") process.running = leaf->value == "1";
    process.parts[part] = leaf;
  }
  std::erase_if(found,
                [](const AccountedProcess& process) { return process.pid == nullptr || !is_pid(process.pid->value); });
  return found;
}

std::optional<std::uint64_t> part_of(const AccountedProcess& process, std::string_view xml, std::string_view text,
                                     std::string_view unit, std::uint64_t factor = 1) {
  for (const auto name : {xml, text}) {
    if (const auto found = process.parts.find(name); found != process.parts.end())
      return number_of(found->second, unit, factor);
  }
  return std::nullopt;
}

void add_shares(LiteralRecord& row, const AccountedProcess& process, std::string_view gpu_field) {
  if (const auto percent = part_of(process, "/gpu_util", "/GPU Utilization", "%")) row.emplace(gpu_field, *percent);
  if (const auto percent = part_of(process, "/memory_util", "/Memory Utilization", "%"))
    row.emplace("memory_percent", *percent);
}

// Where it is more than what is held now.
void add_peak(LiteralRecord& row, const AccountedProcess& process, std::optional<std::uint64_t> held = std::nullopt) {
  const auto most = part_of(process, "/max_memory_usage", "/Max Memory Usage", "MiB", kBytesPerMiB);
  if (most && most != held) row.emplace("peak_bytes", *most);
}

// A process id that no number holds is refused as one that is out of range.
std::uint64_t pid_of(std::string_view text) { return whole_number(text).value_or(~std::uint64_t{0}); }

constexpr const char* kRunning = "processes.running";
constexpr const char* kEnded = "accounting.ended";

// Where the values of one process went, or why they went nowhere.
void settle(const GpuLog& log, const AccountedProcess& process, std::string_view field, const char* why_not) {
  for (const auto& [part, leaf] : process.parts) {
    if (why_not != nullptr) {
      log.reading.fates.leave(*leaf, why_not);
    } else {
      log.carry(leaf, field);
    }
  }
}

// Those that have ended; those that run are listed as such too.
void ended(const GpuLog& log, std::span<const AccountedProcess> accounted) {
  LiteralList rows;
  for (const AccountedProcess& process : accounted) {
    if (process.running) continue;
    LiteralRecord row{{"pid", pid_of(process.pid->value)}};
    add_shares(row, process, "gpu_percent");
    add_peak(row, process);
    if (const auto time = part_of(process, "/time", "/Time", "ms")) row.emplace("time_ms", *time);
    rows.emplace_back(std::move(row));
  }
  constexpr std::size_t room = decltype(Accounting::ended)::capacity;
  if (rows.size() > room) {
    log.reading.evidence.note(fmt::format("{}:{}: more than {} accounted processes; the oldest are left out",
                                          log.capture().name, accounted.front().pid->line, room));
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(room));
  }
  if (!rows.empty())
    log.reading.evidence.observe(log.subject, kEnded, rows, log.reading.origin(*accounted.front().pid));
  std::size_t further = rows.size();
  for (const auto& process : std::views::reverse(accounted)) {
    if (process.running) continue;
    settle(log, process, kEnded, further == 0 ? "accounting has no room for so many processes" : nullptr);
    further -= further == 0 ? 0 : 1;
  }
}

}  // namespace

namespace {

struct ListedProcess {
  std::string_view pid;
  std::string_view type;
  std::string_view name;
  const capture::Leaf* memory = nullptr;
  std::optional<std::uint64_t> gpu_instance;  // of MIG
  std::optional<std::uint64_t> compute_instance;
  std::vector<const capture::Leaf*> leaves;
};

// In text the instances of a process stand before it, with the same ordinal.
void add_instances_before(const GpuLog& log, std::string_view ordinal, ListedProcess& process) {
  for (const auto* leaf : log.index.leaves()) {
    const std::string_view path = leaf->path;
    for (const auto& [name, member] : {std::pair{"Processes/GPU instance ID", &ListedProcess::gpu_instance},
                                       std::pair{"Processes/Compute instance ID", &ListedProcess::compute_instance}}) {
      const std::string_view prefix = name;
      if (!path.starts_with(prefix) || path.substr(prefix.size()) != ordinal) continue;
      process.*member = whole_number(leaf->value);
      if (process.*member) process.leaves.push_back(leaf);
    }
  }
}

std::vector<ListedProcess> listed_processes(const GpuLog& log) {
  const std::string_view list = log.xml() ? "processes/process_info[" : "Processes/Process ID[";
  const std::string_view old = log.xml() ? "compute_processes/process_info[" : "Compute Processes/Process ID[";
  std::vector<ListedProcess> found;
  std::string_view last;
  for (const auto* leaf : log.index.leaves()) {
    const std::string_view path = leaf->path;
    if (!path.starts_with(list) && !path.starts_with(old)) continue;
    const auto close = path.find(']');
    if (close == std::string_view::npos) continue;
    if (const auto index = path.substr(0, close); index != last) {
      last = index;
      found.emplace_back();
      if (!log.xml()) add_instances_before(log, path.substr(list.size() - 1, close - list.size() + 2), found.back());
    }
    ListedProcess& process = found.back();
    process.leaves.push_back(leaf);
    const auto part = path.substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf->value;
    if (part == "/type" || part == "/Type") process.type = leaf->value;
    if (part == "/process_name" || part == "/Name") process.name = leaf->value;
    if (part == "/gpu_instance_id") process.gpu_instance = whole_number(leaf->value);
    if (part == "/compute_instance_id") process.compute_instance = whole_number(leaf->value);
    if (part == "/used_memory" || part == "/Used GPU Memory") process.memory = leaf;
  }
  return found;
}

LiteralRecord row_of(const ListedProcess& process, std::span<const AccountedProcess> accounted) {
  const unsigned kinds = kinds_of(process.type.empty() ? "C" : process.type);  // old drivers list no others
  LiteralRecord row{{"pid", pid_of(process.pid)}, {"kinds", kinds}, {"name", fitting(process.name)}};
  const auto used = number_of(process.memory, "MiB", kBytesPerMiB);
  if (used) row.emplace("used_bytes", *used);
  if (process.gpu_instance) row.emplace("gpu_instance", *process.gpu_instance);
  if (process.compute_instance) row.emplace("compute_instance", *process.compute_instance);
  const auto use = std::ranges::find_if(
      accounted, [&](const AccountedProcess& other) { return other.running && other.pid->value == process.pid; });
  if (use != accounted.end()) {
    add_shares(row, *use, "sm_percent");
    add_peak(row, *use, used);
  }
  return row;
}

void settle(const GpuLog& log, const ListedProcess& process, const std::string& why_not) {
  for (const auto* leaf : process.leaves) {
    if (!why_not.empty()) {
      log.reading.fates.leave(*leaf, why_not);
    } else {
      log.carry(leaf, kRunning);
    }
  }
}

// The first list counts, as it does for the processes.
void sum_by_instance(std::span<const ListedProcess> processes, std::map<std::uint32_t, std::uint64_t>& bytes) {
  if (!bytes.empty()) return;
  for (const ListedProcess& process : processes) {
    const auto used = number_of(process.memory, "MiB", kBytesPerMiB);
    if (!process.gpu_instance || !used) continue;
    bytes[static_cast<std::uint32_t>(*process.gpu_instance)] += *used;
  }
}

}  // namespace

void read_processes(const GpuLog& log) {
  const auto accounted = accounted_processes(log);
  ended(log, accounted);
  const auto found = listed_processes(log);
  const auto* none = log.index.find("processes", "Processes");
  if (none == nullptr) none = log.index.find("compute_processes", "Compute Processes");
  if (found.empty()) {
    if (none != nullptr) log.observe(kRunning, LiteralList(), none);
    return;
  }
  constexpr std::size_t room = decltype(Processes::running)::capacity;
  LiteralList rows;
  std::vector<std::string> why_not;
  for (const ListedProcess& process : found) {
    const bool fits = rows.size() < room;
    const bool named = is_pid(process.pid);
    why_not.push_back(!named  ? "no process id is printed"
                      : !fits ? fmt::format("a GPU has room for {} processes", room)
                              : std::string());
    if (named && fits) rows.emplace_back(row_of(process, accounted));
  }
  const auto* first = found.front().leaves.front();
  if (rows.size() < found.size()) {
    const auto why = std::ranges::find_if(why_not, [](const std::string& reason) { return !reason.empty(); });
    log.reading.evidence.note(fmt::format("{}:{}: {} of {} processes are left out: {}", log.capture().name, first->line,
                                          found.size() - rows.size(), found.size(), *why));
  }
  log.reading.evidence.observe(log.subject, kRunning, rows, log.reading.origin(*first));
  sum_by_instance(found, log.subject.lists.process_bytes);
  for (std::size_t i = 0; i < found.size(); ++i)
    settle(log, found[i], why_not[i]);
  for (const AccountedProcess& process : accounted) {
    const bool runs =
        std::ranges::any_of(found, [&](const ListedProcess& other) { return other.pid == process.pid->value; });
    if (process.running)
      settle(log, process, kRunning, runs ? nullptr : "it runs, and no process of that id is listed");
  }
}

}  // namespace nvmlab::importer
