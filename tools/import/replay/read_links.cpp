// SPDX-License-Identifier: Apache-2.0
//
// NVLink and chip-to-chip links: how many there are, which a field id tells or nothing does; what they end at, where no
// call says so; and modes, which are bytes.
#include <algorithm>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

// Drivers before nvmlDeviceGetNvLinkRemoteDeviceType do not say what a link ends at. Where links to switches are
// counted, all of a GPU's end at some; else at the GPU that has the address; or, where GPUs reach each other over links
// that end at none, at a switch.
std::string_view type_of_end(const Context& context, const Call& pci, const LinkEnds& ends) {
  if (!context.calls.of("nvmlDeviceGetNvLinkRemoteDeviceType").empty()) return {};
  const Call* switched = context.calls.field("NVML_FI_DEV_NVSWITCH_CONNECTED_LINK_COUNT");
  if (switched != nullptr && number(*switched, "value").value_or(0) > 0) return "switch";
  if (ends.gpus.contains(place_on_bus(pci))) return "gpu";
  return ends.reach_peers ? "switch" : "";
}

void read_end(const Context& context, std::uint64_t index, const LinkEnds& ends, Record& record) {
  const auto link = fmt::format("link={}", index);
  const Call* pci = context.calls.good("nvmlDeviceGetNvLinkRemotePciInfo_v2", link);
  if (pci == nullptr) pci = context.calls.good("nvmlDeviceGetNvLinkRemotePciInfo", link);
  if (pci == nullptr) return;
  if (const auto type = type_of_end(context, *pci, ends); !type.empty())
    record.emplace("remote_type", compiler::Label{std::string(type)});
}

// As many as the driver says; else up to the last one of which it said anything.
void count_links(const Context& context, ListDraft& links) {
  if (const Call* count = context.calls.field("NVML_FI_DEV_NVLINK_LINK_COUNT");
      count != nullptr && count->succeeded()) {
    links.source = count;
    links.count = std::min(number(*count, "value").value_or(0), kMostLinks);
    return;
  }
  for (const Call* call : context.calls.of("nvmlDeviceGetNvLinkState")) {
    const auto link = number(member(call->in, "link"));
    if (!link || *link >= kMostLinks || !of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) continue;
    links.source = call;
    if (call->succeeded()) links.count = std::max(links.count, *link + 1);
  }
}

// Up to the last one that has a value.
void count_ports(const Context& context, ListDraft& ports) {
  const Call* call = context.calls.field("NVML_FI_DEV_NVLINK_COUNT_XMIT_PACKETS");
  if (call == nullptr || (!call->succeeded() && !of_the_board(call->code))) return;
  ports.source = call;
  for (const auto& [index, record] : ports.records) {
    if (std::ranges::any_of(record, [](const auto& each) { return !each.second.is_error(); })) ports.count = index + 1;
  }
}

void count_c2c(const Context& context, ListDraft& links) {
  const Call* count = context.calls.field("NVML_FI_DEV_C2C_LINK_COUNT");
  if (count == nullptr || !count->succeeded()) return;
  links.source = count;
  links.count = std::min(number(*count, "value").value_or(0), kMostLinks);
}

void read_modes(const Context& context) {
  if (const Call* modes = context.calls.good("nvmlDeviceGetNvlinkSupportedBwModes")) {
    const auto bytes = bytes_of(member(modes->out, "supportedBwMode.bwModes"));
    const auto count = number(*modes, "supportedBwMode.totalBwModes").value_or(bytes.size());
    compiler::LiteralList known;
    for (std::size_t i = 0; i < bytes.size() && i < count; ++i)
      known.emplace_back(bytes[i]);
    context.set("nvlink.bandwidth_modes", known, *modes);
  }
  if (const Call* mode = context.calls.good("nvmlDeviceGetNvlinkBwMode");
      mode != nullptr && number(*mode, "getBwMode.bIsBest") == 1) {
    context.set_number("nvlink.bandwidth_mode_best", *mode, "getBwMode.bwMode");
  }
}

}  // namespace

void read_links(const Context& context, const LinkEnds& ends, Lists& lists) {
  ListDraft& links = lists["nvlink.links"];
  count_links(context, links);
  for (std::uint64_t i = 0; i < links.count; ++i)
    read_end(context, i, ends, links.records[i]);
  count_ports(context, lists["nvlink_ports.ports"]);
  count_c2c(context, lists["c2c.links"]);
  read_modes(context);
  // No getter tells the threshold as shipped; it is the one in force until somebody sets another.
  if (const Call* threshold = context.calls.field("NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD");
      threshold != nullptr && threshold->succeeded())
    context.set_number("nvlink.low_power_threshold_default", *threshold, "value");
}

}  // namespace nvmlab::importer::replay
