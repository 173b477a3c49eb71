// SPDX-License-Identifier: Apache-2.0
//
// What a chip can be cut into: the inverse of drivers/nvml/hooks/mig.cpp. A profile is asked for by its number, by
// three functions of three times; where it can be placed, by its id and as root.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kMembers{
    {{"slices", "sliceCount"},
     {"instances", "instanceCount"},
     {"multiprocessors", "multiprocessorCount"},
     {"copy_engines", "copyEngineCount"},
     {"decoders", "decoderCount"},
     {"encoders", "encoderCount"},
     {"jpegs", "jpegCount"},
     {"ofas", "ofaCount"},
     {"memory_mib", "memorySizeMB"}}};

// The newest struct says most.
void fill(Record& record, const Call& call) {
  const auto info = [&](std::string_view name) { return member(call.out, fmt::format("info.{}", name)); };
  record.try_emplace("id", yaml_of(info("id")));
  for (const auto& [name, output] : kMembers)
    record.try_emplace(std::string(name), yaml_of(info(output)));
  if (const auto name = text_yaml(info("name")); !name.empty()) record.try_emplace("name", name);
  if (const auto mask = yaml_of(info("capabilities")); !mask.empty()) record.try_emplace("capabilities", mask);
  // Before there was a mask: peer to peer, its first bit.
  if (const auto peers = yaml_of(info("isP2pSupported")); !peers.empty()) record.try_emplace("capabilities", peers);
}

void place(const Context& context, Record& record) {
  const auto when = fmt::format("profileId={}", record.at("id"));
  const Call* call = context.calls.good("nvmlDeviceGetGpuInstancePossiblePlacements_v2", when);
  if (call == nullptr) call = context.calls.good("nvmlDeviceGetGpuInstancePossiblePlacements", when);
  if (!lists(call, "placements")) return;
  std::vector<std::string> starts;
  for (const Json& item : list(call, "placements")) {
    starts.push_back(yaml_of(member(item, "start")));
    record.try_emplace("memory_slices", yaml_of(member(item, "size")));
  }
  record.try_emplace("starts", fmt::format("[{}]", fmt::join(starts, ", ")));
}

}  // namespace

void read_mig(const Context& context) {
  std::map<std::uint64_t, Record> found;  // by number
  const Call* last = nullptr;
  for (const auto* function : {"nvmlDeviceGetGpuInstanceProfileInfoV", "nvmlDeviceGetGpuInstanceProfileInfo"}) {
    // The newest version of the struct comes first and has the most members.
    for (const Call* call : context.calls.of(function)) {
      const auto number_of_profile = number(member(call->in, "profile"));
      if (!number_of_profile || !of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) continue;
      last = call;
      if (call->succeeded()) fill(found[*number_of_profile], *call);
    }
  }
  if (last == nullptr) return;
  Records profiles;
  std::uint64_t most = 0;
  for (auto& [number_of_profile, record] : found) {
    record["number"] = std::to_string(number_of_profile);
    place(context, record);
    most = std::max<std::uint64_t>(most, std::strtoull(record.at("instances").c_str(), nullptr, 10));
    profiles[profiles.size()] = record;
  }
  context.tell("mig.profiles", profiles, profiles.size(), *last);
  // While MIG is off a chip has room for no MIG device; how many there can be, the smallest profile says.
  if (most > 0) context.tell("modes.mig_max_devices", std::to_string(most), *last);
}

}  // namespace nvmlab::importer::replay
