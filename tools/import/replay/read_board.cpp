// SPDX-License-Identifier: Apache-2.0
//
// Memory and single things of the board: registers by what was asked, an answer that is a return code, lists and sums
// that are told in another way than they are kept.
#include <optional>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

void read_registers(const Context& context) {
  ListDraft counters;
  const Call* last = nullptr;
  bool reachable = false;
  for (const Call* call : context.calls.of("nvmlDeviceReadPRMCounters_v1")) {
    if (!of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) continue;
    last = call;
    reachable = reachable || call->succeeded() || call->code == "NO_PERMISSION";
    if (!call->succeeded()) continue;
    Record& counter = counters.records[counters.count++];
    put_column(counter, "id", call->in, "counterId");
    put_column(counter, "port", call->in, "localPort");
    put_column(counter, "total", call->out, "value");
  }
  if (last == nullptr) return;
  if (reachable) {
    context.set("prm.supported", 1, *last);
  } else {
    context.set_error("prm.supported", *last);
  }
  counters.source = last;
  if (counters.count > 0) context.set("prm.counters", counters);
}

// The answer is the return code itself.
void read_inforom(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceValidateInforom");
  if (call == nullptr) return;
  if (call->succeeded()) {
    context.set("identity.inforom_valid", 1, *call);
  } else if (call->code == "CORRUPTED_INFOROM") {
    context.set("identity.inforom_valid", 0, *call);
  } else {
    context.set_error("identity.inforom_valid", *call);
  }
}

// Also who may not look at the monitors of clocks learns that there are some.
void read_monitors(const Context& context) {
  const Call* call = context.calls.find("nvmlDeviceGetClkMonStatus");
  if (call == nullptr || call->code == "FUNCTION_NOT_FOUND") return;
  if (call->succeeded() || call->code == "NO_PERMISSION") return context.set("clocks.monitor", 1, *call);
  context.set_error("clocks.monitor", *call);
}

// Where every kind of access has the same clique, there is no list.
void read_cliques(const Context& context) {
  const Call* call = context.calls.good("nvmlDeviceGetGpuFabricInfo_v4");
  if (!says_items(call, "gpuFabricInfo.cliques")) return;
  ListDraft cliques{.source = call};
  bool usual = list(call, "gpuFabricInfo.cliques").size() <= 2;
  const FieldValue* clique = context.value("fabric.clique_id");
  const auto own = clique == nullptr ? std::nullopt : clique->number();
  for (const Json& item : list(call, "gpuFabricInfo.cliques")) {
    Record& record = cliques.records[cliques.count];
    put_column(record, "type", item, "type");
    put_column(record, "id", item, "id");
    usual = usual && own && number_of(record, "id") == own && number_of(record, "type") == cliques.count;
    ++cliques.count;
  }
  if (!usual) context.set("fabric.cliques", cliques);
}

}  // namespace

// Drivers before nvmlDeviceGetNumFans tell of the first fan alone.
void read_fans(const Context& context, Lists& lists) {
  ListDraft& fans = lists["thermal.fans"];
  const Call* first = context.calls.find("nvmlDeviceGetFanSpeed");
  if (fans.source != nullptr || first == nullptr || (!first->succeeded() && !of_the_board(first->code))) return;
  fans.source = first;
  fans.count = first->succeeded() ? 1 : 0;
}

void read_memory(const Context& context) {
  // The first version has no member for what is reserved and counts it as used.
  const Call* first = context.calls.good("nvmlDeviceGetMemoryInfo");
  if (first != nullptr && !context.observed("memory.total_bytes") && number(*first, "memory.total") &&
      number(*first, "memory.used")) {
    context.set_number("memory.total_bytes", *first, "memory.total");
    context.set_number("memory.used_bytes", *first, "memory.used");
    context.set("memory.reserved_bytes", 0, *first);
  }
  // What is neither free nor used, where a driver does not say it.
  const Call* second = context.calls.good("nvmlDeviceGetMemoryInfo_v2");
  if (second != nullptr && !context.observed("memory.reserved_bytes")) {
    const auto total = number(*second, "memory.total").value_or(0);
    const auto free = number(*second, "memory.free").value_or(0);
    const auto used = number(*second, "memory.used").value_or(0);
    if (free <= total && used <= total - free) context.set("memory.reserved_bytes", total - free - used, *second);
  }
  // Refused for any other reason than that there are no limits, the question was about a group.
  if (const Call* call = context.calls.find("nvmlDeviceGetMemoryLimits_v1")) {
    if (call->code == "NOT_SUPPORTED") {
      context.set_error("memory.limits_supported", *call);
    } else if (call->succeeded() || of_the_board(call->code)) {
      context.set("memory.limits_supported", 1, *call);
    }
  }
}

void read_board(const Context& context) {
  read_monitors(context);
  read_registers(context);
  read_inforom(context);
  read_cliques(context);
}

}  // namespace nvmlab::importer::replay
