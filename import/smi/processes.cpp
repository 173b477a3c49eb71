// SPDX-License-Identifier: Apache-2.0
//
// Lists of processes: what runs, and what accounting remembers.
#include <algorithm>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "base/text.hpp"
#include "compiler/texts.hpp"
#include "engine/topics/generated/state.hpp"
#include "import/smi/gpu_log.hpp"

namespace nvmlab::importer {
namespace {

using compiler::LiteralList;
using compiler::LiteralRecord;

// The kinds that nvidia-smi joins with '+'.
unsigned kinds_of(std::string_view printed) {
  unsigned kinds = 0;
  for (char letter : printed)
    kinds |= letter == 'C' ? 1U : letter == 'G' ? 2U : letter == 'M' ? 4U : 0U;
  return kinds;
}

// As much of a name as the state holds and YAML can say: nvidia-smi copies what a process calls itself.
std::string fitting(std::string_view name) {
  constexpr std::size_t room = decltype(Processes::Process::name)::capacity - 1;
  name = name.substr(0, room);
  while (compiler::text_flaw(name) != nullptr)
    name.remove_suffix(1);
  return std::string(name);
}

struct ListedProcess {
  std::string pid;
  std::string type;
  std::string name;
  const capture::Leaf* memory = nullptr;
};

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
  const bool xml = log.capture.format == capture::Format::xml;
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
    log.evidence.notes.push_back(fmt::format("{}:{}: more than {} accounted processes; the oldest are left out",
                                             log.capture.name, accounted.front().pid->line, room));
    rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(room));
  }
  if (!rows.empty()) log.observe("accounting.ended", rows, accounted.front().pid);
}

}  // namespace

void read_processes(const GpuLog& log) {
  const auto accounted = accounted_processes(log);
  ended(log, accounted);
  const bool xml = log.capture.format == capture::Format::xml;
  const std::string_view list = xml ? "processes/process_info[" : "Processes/Process ID[";
  std::vector<std::pair<std::string, ListedProcess>> found;  // by its index in the path
  const capture::Leaf* first = nullptr;
  for (const auto* leaf : log.index.leaves()) {
    if (!std::string_view(leaf->path).starts_with(list)) continue;
    if (first == nullptr) first = leaf;
    const auto close = leaf->path.find(']', list.size());
    if (close == std::string::npos) continue;
    const std::string index = leaf->path.substr(list.size(), close - list.size());
    if (found.empty() || found.back().first != index) found.emplace_back(index, ListedProcess{});
    ListedProcess& process = found.back().second;
    const auto part = std::string_view(leaf->path).substr(close + 1);
    if (part == "/pid" || part.empty()) process.pid = leaf->value;
    if (part == "/type" || part == "/Type") process.type = leaf->value;
    if (part == "/process_name" || part == "/Name") process.name = leaf->value;
    if (part == "/used_memory" || part == "/Used GPU Memory") process.memory = leaf;
  }
  if (first == nullptr) {
    const auto* none = log.index.find("processes", "Processes");
    if (none != nullptr) log.observe("processes.running", LiteralList(), none);
    return;
  }
  constexpr std::size_t kRoom = 32;
  LiteralList rows;
  for (const auto& [index, process] : found) {
    if (rows.size() == kRoom) {
      log.evidence.notes.push_back(
          fmt::format("{}:{}: more than {} processes; the rest is left out", log.capture.name, first->line, kRoom));
      break;
    }
    if (!is_pid(process.pid)) continue;
    LiteralRecord row{{"pid", pid_of(process.pid)}, {"kinds", kinds_of(process.type)}, {"name", fitting(process.name)}};
    const auto used = number_of(process.memory, "MiB", kBytesPerMiB);
    if (used) row.emplace("used_bytes", *used);
    const auto use = std::ranges::find_if(
        accounted, [&](const AccountedProcess& other) { return other.running && other.pid->value == process.pid; });
    if (use != accounted.end()) {
      add_shares(row, *use, "sm_percent");
      add_peak(row, *use, used);
    }
    rows.emplace_back(std::move(row));
  }
  log.observe("processes.running", rows, first);
}

}  // namespace nvmlab::importer
