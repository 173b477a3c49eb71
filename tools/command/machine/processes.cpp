// SPDX-License-Identifier: Apache-2.0
#include "command/machine/processes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "command/machine/machines.hpp"
#include "compiler/numbers.hpp"
#include "engine/change/change.hpp"
#include "engine/store/real_process.hpp"
#include "engine/topics/processes/process_kinds.hpp"

namespace nvmlab::tool {
namespace {

template <class T>
using Read = std::expected<T, std::string>;

Read<std::uint32_t> percent(const std::optional<std::string>& word, const char* option) {
  const auto value = word ? whole_number(*word) : std::uint64_t{0};
  if (!value || *value > 100)
    return std::unexpected(fmt::format("{} takes a number from 0 to 100, not {}", option, in_quotes(*word)));
  return static_cast<std::uint32_t>(*value);
}

Read<std::uint64_t> bytes(const std::optional<std::string>& word) {
  if (!word) return 0;
  const auto value = compiler::parse_quantity(*word, "B");
  if (!value || value->negative)
    return std::unexpected(
        fmt::format("--memory takes bytes, KiB, MiB or GiB, such as 1GiB, not {}", in_quotes(*word)));
  return value->magnitude;
}

Read<std::uint32_t> kinds(const std::string& type) {
  if (type == "compute" || type == "C") return kComputeProcess;
  if (type == "graphics" || type == "G") return kGraphicsProcess;
  if (type == "compute+graphics" || type == "C+G") return kComputeProcess | kGraphicsProcess;
  if (type == "mps" || type == "M+C") return kMpsProcess | kComputeProcess;
  return std::unexpected(
      fmt::format("--type takes compute, graphics, compute+graphics or mps, not {}", in_quotes(type)));
}

// The command line of a process, with spaces between its words.
std::string name_of_process(std::uint32_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid), std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  while (text.ends_with('\0'))
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

}  // namespace

std::expected<std::uint32_t, std::string> read_pid(const std::string& word) {
  const auto pid = whole_number(word);
  if (!pid || *pid == 0 || *pid > 0x7FFF'FFFF)
    return std::unexpected(fmt::format("--pid takes a process id, not {}", in_quotes(word)));
  return static_cast<std::uint32_t>(*pid);
}

std::expected<StartProcess, std::string> read_process(const ProcessWords& words) {
  const auto pid = read_pid(words.pid);
  if (!pid) return std::unexpected(pid.error());
  const auto type = kinds(words.type);
  if (!type) return std::unexpected(type.error());
  const auto held = bytes(words.memory);
  if (!held) return std::unexpected(held.error());
  const auto sm = percent(words.sm, "--sm");
  if (!sm) return std::unexpected(sm.error());
  const auto bandwidth = percent(words.memory_bandwidth, "--memory-bandwidth");
  if (!bandwidth) return std::unexpected(bandwidth.error());
  const auto instances = words.instances.read();
  if (!instances) return std::unexpected(instances.error());

  const RealProcess real = find_real_process(*pid);
  StartProcess change{.pid = real.pid,
                      .kinds = *type,
                      .used_bytes = *held,
                      .start_ticks = real.start_ticks,
                      .pid_namespace = real.pid_namespace,
                      .gpu_instance = instances->gpu,
                      .compute_instance = instances->compute,
                      .sm_percent = *sm,
                      .memory_percent = *bandwidth,
                      .name = {}};
  std::string name = words.name.value_or(change.start_ticks != 0 ? name_of_process(*pid) : "");
  if (name.empty()) name = fmt::format("process-{}", *pid);
  name.resize(std::min(name.size(), sizeof change.name - 1));
  std::ranges::copy(name, change.name);
  return change;
}

ListedPid listed_pid(const Processes::Process& process) {
  const std::uint32_t stored = process.pid.value_or(0);
  const std::uint64_t lives_in = process.pid_namespace.value_or(0);
  if (!process.start_ticks.has_value()) return {stored, 0};
  const std::uint32_t here = pid_for_caller({stored, lives_in, process.start_ticks.value}, own_pid_namespace());
  return here != 0 ? ListedPid{here, 0} : ListedPid{stored, lives_in};
}

std::string type_of(std::uint32_t kinds) {
  if ((kinds & kMpsProcess) != 0) return "M+C";
  const bool both = (kinds & kComputeProcess) != 0 && (kinds & kGraphicsProcess) != 0;
  return both ? "C+G" : (kinds & kGraphicsProcess) != 0 ? "G" : "C";
}

std::optional<std::string> apply_to_processes(Store& store, StoreFile& file, const std::vector<Change>& changes,
                                              std::uint32_t pid) {
  MachineAccess machine{store, file, true};
  const Applied applied = apply(machine, changes.data(), static_cast<std::uint32_t>(changes.size()));
  const std::uint32_t gpu = changes[applied.failed].target.gpu;
  switch (applied.code) {
    case kSuccess:
      return std::nullopt;
    case kInUse:
      return fmt::format("GPU {}: a process {} runs there already", gpu, pid);
    case kNotFound:
      return fmt::format("GPU {}: no process {} runs there", gpu, pid);
    case kMemory:
      return fmt::format("GPU {}: so much memory is not free; `nvmlab get --gpu {} memory` says what is", gpu, gpu);
    case kInsufficientResources:
      return fmt::format("GPU {}: {} processes run there, and no more can", gpu,
                         decltype(Processes::running)::capacity);
    default:
      return refusal(applied.code, changes[applied.failed], fmt::format("process {}", pid));
  }
}

}  // namespace nvmlab::tool
