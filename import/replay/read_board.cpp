// SPDX-License-Identifier: Apache-2.0
//
// Fans, memory and single things of the board whose calls need more than a row of a table.
#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Bridges, in a struct with a list.
void read_bridges(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceGetBridgeChipInfo");
  if (!lists(call, "bridgeHierarchy.bridgeChipInfo")) return;
  Records bridges;
  for (const Json& item : list(call, "bridgeHierarchy.bridgeChipInfo")) {
    bridges[bridges.size()] = {{"type", yaml_of(member(item, "type"))},
                               {"firmware", yaml_of(member(item, "fwVersion"))}};
  }
  context.tell("pci.bridges", bridges, bridges.size(), *call);
}

void read_registers(const Context& context) {
  Records counters;
  const Call* last = nullptr;
  bool reachable = false;
  for (const Call* call : context.calls.of("nvmlDeviceReadPRMCounters_v1")) {
    if (!of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) continue;
    last = call;
    reachable = reachable || call->succeeded() || call->code == "NO_PERMISSION";
    if (!call->succeeded()) continue;
    Record& counter = counters[counters.size()];
    counter = {{"id", yaml_of(member(call->in, "counterId"))},
               {"port", yaml_of(member(call->in, "localPort"))},
               {"total", yaml_of(member(call->out, "value"))}};
  }
  if (last == nullptr) return;
  if (reachable) {
    context.tell("prm.supported", "1", *last);
  } else {
    context.refuse("prm.supported", *last);
  }
  if (!counters.empty()) context.tell("prm.counters", counters, counters.size(), *last);
}

// The answer is the return code itself.
void read_inforom(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceValidateInforom");
  if (call == nullptr) return;
  if (call->succeeded()) {
    context.tell("identity.inforom_valid", "1", *call);
  } else if (call->code == "CORRUPTED_INFOROM") {
    context.tell("identity.inforom_valid", "0", *call);
  } else {
    context.refuse("identity.inforom_valid", *call);
  }
}

// Where every kind of access has the same clique, there is no list.
void read_cliques(const Context& context) {
  const Call* call = context.calls.good("nvmlDeviceGetGpuFabricInfo_v4");
  if (!lists(call, "gpuFabricInfo.cliques")) return;
  Records cliques;
  bool usual = list(call, "gpuFabricInfo.cliques").size() <= 2;
  const FieldValue* clique = context.value("fabric.clique_id");
  const std::string own = clique == nullptr ? std::string() : clique->yaml();
  for (const Json& item : list(call, "gpuFabricInfo.cliques")) {
    const auto place = cliques.size();
    cliques[place] = {{"type", yaml_of(member(item, "type"))}, {"id", yaml_of(member(item, "id"))}};
    usual = usual && !own.empty() && cliques[place]["id"] == own && cliques[place]["type"] == std::to_string(place);
  }
  if (!usual) context.tell("fabric.cliques", cliques, cliques.size(), *call);
}

}  // namespace

void read_fans(const Context& context) {
  const Call* count = context.calls.find("nvmlDeviceGetNumFans");
  const Call* first = context.calls.find("nvmlDeviceGetFanSpeed");
  const Call* call = count != nullptr && count->code != "FUNCTION_NOT_FOUND" ? count : first;
  if (call == nullptr || (!call->succeeded() && !of_the_board(call->code))) return;
  std::uint64_t fans = number(*call, "numFans").value_or(0);
  if (call == first && first->succeeded()) fans = 1;
  Records records;
  for (std::uint64_t i = 0; i < fans && i < 64; ++i) {
    Record& fan = records[i];
    const auto when = fmt::format("fan={}", i);
    put(fan, "speed_percent", context.calls.find("nvmlDeviceGetFanSpeed_v2", when), "speed");
    if (i == 0) put(fan, "speed_percent", first, "speed");
    put(fan, "target_percent", context.calls.find("nvmlDeviceGetTargetFanSpeed", when), "targetSpeed");
    put(fan, "policy", context.calls.find("nvmlDeviceGetFanControlPolicy_v2", when), "policy");
    put(fan, "rpm", context.calls.find("nvmlDeviceGetFanSpeedRPM", when), "fanSpeed.speed");
    const Call* cooler = context.calls.find("nvmlDeviceGetCoolerInfo", fmt::format("index={}", i));
    put(fan, "signal", cooler, "coolerInfo.signalType");
    put(fan, "cools", cooler, "coolerInfo.target");
  }
  context.tell("thermal.fans", records, fans, *call);
}

void read_memory(const Context& context) {
  // The first version has no member for what is reserved and counts it as used.
  const Call* first = context.calls.good("nvmlDeviceGetMemoryInfo");
  if (first != nullptr && !context.told("memory.total_bytes")) {
    const auto all = yaml_of(member(first->out, "memory.total"));
    const auto used = yaml_of(member(first->out, "memory.used"));
    if (!all.empty() && !used.empty()) {
      context.tell("memory.total_bytes", all, *first);
      context.tell("memory.used_bytes", used, *first);
      context.tell("memory.reserved_bytes", "0", *first);
    }
  }
  // What is neither free nor used, where a driver does not say it.
  const Call* second = context.calls.good("nvmlDeviceGetMemoryInfo_v2");
  if (second != nullptr && !context.told("memory.reserved_bytes")) {
    const auto total = number(*second, "memory.total").value_or(0);
    const auto free = number(*second, "memory.free").value_or(0);
    const auto used = number(*second, "memory.used").value_or(0);
    if (free <= total && used <= total - free)
      context.tell("memory.reserved_bytes", std::to_string(total - free - used), *second);
  }
  // Refused for any other reason than that there are no limits, the question was about a group.
  if (const Call* call = context.calls.find("nvmlDeviceGetMemoryLimits_v1")) {
    if (call->code == "NOT_SUPPORTED") {
      context.refuse("memory.limits_supported", *call);
    } else if (call->succeeded() || of_the_board(call->code)) {
      context.tell("memory.limits_supported", "1", *call);
    }
  }
}

void read_board(const Context& context) {
  read_bridges(context);
  read_registers(context);
  read_inforom(context);
  read_cliques(context);
}

}  // namespace nvmlab::importer::replay
