// SPDX-License-Identifier: Apache-2.0
//
// Where profiles of MIG can be placed, asked by their id and as root; and which calls say that a chip has none.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

void place(const Context& context, Record& record) {
  const auto id = number_of(record, "id");
  if (!id) return;
  const auto when = fmt::format("profileId={}", *id);
  const Call* call = context.calls.good("nvmlDeviceGetGpuInstancePossiblePlacements_v2", when);
  if (call == nullptr) call = context.calls.good("nvmlDeviceGetGpuInstancePossiblePlacements", when);
  if (!says_items(call, "placements")) return;
  compiler::LiteralList starts;
  for (const Json& item : list(call, "placements")) {
    if (const auto start = number_literal(member(item, "start"))) starts.push_back(*start);
    put_column(record, "memory_slices", item, "size");
  }
  record.try_emplace("starts", std::move(starts));
}

}  // namespace

void read_mig(const Context& context, Lists& lists) {
  ListDraft& profiles = lists["mig.profiles"];
  for (const auto* function : {"nvmlDeviceGetGpuInstanceProfileInfoV", "nvmlDeviceGetGpuInstanceProfileInfo"}) {
    for (const Call* call : context.calls.of(function)) {
      if (of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) profiles.source = call;
    }
  }
  if (profiles.source == nullptr) return;
  std::uint64_t most = 0;
  for (auto& [number, record] : profiles.records) {
    place(context, record);
    most = std::max(most, number_of(record, "instances").value_or(0));
  }
  profiles.count = profiles.records.size();
  // While MIG is off a chip has room for no MIG device; how many there can be, the smallest profile says.
  if (most > 0) context.set("modes.mig_max_devices", most, *profiles.source);
}

}  // namespace nvmlab::importer::replay
