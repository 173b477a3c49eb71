// SPDX-License-Identifier: Apache-2.0
#include "control/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "control/machine.hpp"
#include "control/refusals.hpp"
#include "control/view.hpp"
#include "engine/store/real_process.hpp"

namespace nvmlab::control {
namespace {

// Returns the command line of a process, with spaces between its words.
std::string command_line_of(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\0'))
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

ListedPid listed_pid(const Processes::Process& process) {
  const std::uint32_t stored = process.pid.value_or(0);
  const std::uint64_t lives_in = process.pid_namespace.value_or(0);
  if (!process.start_ticks.has_value()) return {stored, 0};
  const std::uint32_t here = pid_for_caller({stored, lives_in, process.start_ticks.value}, own_pid_namespace());
  return here != 0 ? ListedPid{here, 0} : ListedPid{stored, lives_in};
}

std::string why_refused(Code code, const Change& change, std::uint32_t pid) {
  switch (code) {
    case kInUse:
      return fmt::format("GPU {}: a process {} runs there already", change.target.gpu, pid);
    case kNotFound:
      return fmt::format("GPU {}: no process {} runs there", change.target.gpu, pid);
    case kMemory:
      return fmt::format("GPU {0}: so much memory is not free; `nvmlab get --gpu {0} memory` says what is",
                         change.target.gpu);
    case kInsufficientResources:
      return fmt::format("GPU {}: {} processes run there, and no more can", change.target.gpu,
                         decltype(Processes::running)::capacity);
    default:
      return refusal(code, change, fmt::format("process {}", pid));
  }
}

std::expected<void, std::string> apply_about(Machine& machine, const std::vector<Change>& changes, std::uint32_t pid) {
  const auto made = machine.apply(changes);
  if (made) return {};
  return std::unexpected(why_refused(made.error().code, changes[made.error().change], pid));
}

}  // namespace

std::vector<ListedProcess> running_processes(const Machine& machine, std::span<const std::uint32_t> gpus) {
  const MachineView view = view_of(machine, gpus);
  std::vector<ListedProcess> all;
  for (std::size_t i = 0; i < view.gpus.size(); ++i) {
    for (const Processes::Process& each : view.gpus[i].processes.running)
      all.push_back({view.indices[i], listed_pid(each), each});
  }
  return all;
}

StartProcess find_process(std::uint32_t pid, const std::optional<std::string>& name) {
  const RealProcess real = find_real_process(pid);
  StartProcess process{.pid = real.pid,
                       .kinds = 0,
                       .used_bytes = 0,
                       .start_ticks = real.start_ticks,
                       .pid_namespace = real.pid_namespace,
                       .gpu_instance = kNoInstance,
                       .compute_instance = kNoInstance,
                       .sm_percent = 0,
                       .memory_percent = 0,
                       .name = {}};
  std::string shown = name.value_or(real.start_ticks != 0 ? command_line_of(pid) : "");
  if (shown.empty()) shown = fmt::format("process-{}", pid);
  shown.resize(std::min(shown.size(), sizeof process.name - 1));
  std::ranges::copy(shown, process.name);
  return process;
}

std::expected<void, std::string> start_process(Machine& machine, std::span<const std::uint32_t> gpus,
                                               const StartProcess& process, std::uint32_t pid) {
  std::vector<Change> changes;
  for (const std::uint32_t gpu : gpus)
    changes.push_back(make_change(gpu, process));
  return apply_about(machine, changes, pid);
}

std::expected<void, std::string> end_process(Machine& machine, std::span<const std::uint32_t> gpus, std::uint32_t pid) {
  std::vector<Change> changes;
  for (const auto& [gpu, listed, process] : running_processes(machine, gpus)) {
    const EndProcess end{process.pid.value_or(0), process.pid_namespace.value_or(0)};
    const bool known = !changes.empty() && changes.back().target.gpu == gpu;
    if (listed.pid == pid && !known) changes.push_back(make_change(gpu, end));
  }
  if (changes.empty()) return std::unexpected(fmt::format("no process {} runs on these GPUs", pid));
  return apply_about(machine, changes, pid);
}

}  // namespace nvmlab::control
