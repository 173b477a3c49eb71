// SPDX-License-Identifier: Apache-2.0
#include "command/machine/process_words.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "compiler/numbers.hpp"
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

  StartProcess change = control::find_process(*pid, words.name);
  change.kinds = *type;
  change.used_bytes = *held;
  change.gpu_instance = instances->gpu;
  change.compute_instance = instances->compute;
  change.sm_percent = *sm;
  change.memory_percent = *bandwidth;
  return change;
}

std::string type_of(std::uint32_t kinds) {
  if ((kinds & kMpsProcess) != 0) return "M+C";
  const bool both = (kinds & kComputeProcess) != 0 && (kinds & kGraphicsProcess) != 0;
  return both ? "C+G" : (kinds & kGraphicsProcess) != 0 ? "G" : "C";
}

}  // namespace nvmlab::tool
