// SPDX-License-Identifier: Apache-2.0
//
// NVLink and chip-to-chip links, one record each, and what is set for all links of a GPU: the inverse of
// drivers/nvml/hooks/nvlink.cpp, nvlink_counters.cpp and nvlink_modes.cpp. Speeds and throughput are field ids.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {
namespace {

std::uint64_t capabilities_of(const Context& context, const std::string& link, const Call** first) {
  std::uint64_t mask = 0;
  constexpr unsigned count = 6;
  for (unsigned bit = 0; bit < count; ++bit) {
    const Call* call = context.calls.good("nvmlDeviceGetNvLinkCapability", fmt::format("{} capability={}", link, bit));
    if (call == nullptr) continue;
    *first = call;
    mask |= (number(*call, "capResult").value_or(0) & 1) << bit;
  }
  return mask;
}

// The two counters that Pascal and Volta could tell what to count.
std::string counters_of(const Context& context, const std::string& link) {
  std::string yaml;
  for (unsigned which = 0; which < 2; ++which) {
    const auto when = fmt::format("{} counter={}", link, which);
    const Call* counted = context.calls.good("nvmlDeviceGetNvLinkUtilizationCounter", when);
    const Call* control = context.calls.good("nvmlDeviceGetNvLinkUtilizationControl", when);
    if (counted == nullptr && control == nullptr) break;
    Record record;
    put(record, "rx", counted, "rxcounter");
    put(record, "tx", counted, "txcounter");
    put(record, "units", control, "control.units");
    put(record, "packet_filter", control, "control.pktfilter");
    yaml += yaml.empty() ? "[{" : ", {";
    bool first = true;
    for (const auto& [name, value] : record)
      yaml += fmt::format("{}{}: {}", std::exchange(first, false) ? "" : ", ", name, value);
    yaml += "}";
  }
  return yaml.empty() ? yaml : yaml + "]";
}

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

void read_remote(const Context& context, const std::string& link, const LinkEnds& ends, Record& record) {
  const Call* pci = context.calls.find("nvmlDeviceGetNvLinkRemotePciInfo_v2", link);
  if (pci == nullptr || pci->code == "FUNCTION_NOT_FOUND")
    pci = context.calls.find("nvmlDeviceGetNvLinkRemotePciInfo", link);
  if (pci == nullptr) return;
  put(record, "remote_bus", pci, "pci.bus");
  if (!pci->succeeded()) return;
  put(record, "remote_domain", pci, "pci.domain");
  put(record, "remote_device", pci, "pci.device");
  if (const auto type = type_of_end(context, *pci, ends); !type.empty()) record.emplace("remote_type", type);
  if (number(*pci, "pci.pciDeviceId").value_or(0) != 0) put(record, "remote_device_id", pci, "pci.pciDeviceId");
}

void read_link(const Context& context, std::uint64_t index, const LinkEnds& ends, Record& record) {
  const auto link = fmt::format("link={}", index);
  put(record, "active", context.calls.find("nvmlDeviceGetNvLinkState", link), "isActive");
  put(record, "version", context.calls.find("nvmlDeviceGetNvLinkVersion", link), "version");
  put(record, "remote_type", context.calls.find("nvmlDeviceGetNvLinkRemoteDeviceType", link), "pNvLinkDeviceType");
  read_remote(context, link, ends, record);
  const Call* capability = nullptr;
  if (const auto mask = capabilities_of(context, link, &capability); capability != nullptr)
    record.emplace("capabilities", std::to_string(mask));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> errors{
      {{"NVML_NVLINK_ERROR_DL_REPLAY", "replay_errors"},
       {"NVML_NVLINK_ERROR_DL_RECOVERY", "recovery_errors"},
       {"NVML_NVLINK_ERROR_DL_CRC_FLIT", "crc_flit_errors"},
       {"NVML_NVLINK_ERROR_DL_CRC_DATA", "crc_data_errors"},
       {"NVML_NVLINK_ERROR_DL_ECC_DATA", "ecc_errors"}}};
  for (const auto& [counter, name] : errors) {
    const Call* call =
        context.calls.find("nvmlDeviceGetNvLinkErrorCounter", fmt::format("{} counter={}", link, counter));
    put(record, name, call, "counterValue");
  }
  if (const auto counters = counters_of(context, link); !counters.empty()) record.emplace("counters", counters);
}

// As many as the driver says; else up to the last one of which it said anything.
std::uint64_t link_count(const Context& context, const Call** told_by) {
  if (const Call* count = context.calls.field("NVML_FI_DEV_NVLINK_LINK_COUNT");
      count != nullptr && count->succeeded()) {
    *told_by = count;
    return std::min(number(*count, "value").value_or(0), kMostLinks);
  }
  std::uint64_t count = 0;
  for (const Call* call : context.calls.of("nvmlDeviceGetNvLinkState")) {
    const auto link = number(member(call->in, "link"));
    if (!link || *link >= kMostLinks || !of_the_board(call->succeeded() ? "NOT_SUPPORTED" : call->code)) continue;
    *told_by = call;
    if (call->succeeded()) count = std::max(count, *link + 1);
  }
  return count;
}

// Up to the last one that has a value.
std::uint64_t told_of(const Records& records) {
  std::uint64_t count = 0;
  for (const auto& [index, record] : records) {
    const auto said = [](const auto& each) { return !each.second.starts_with("{answer:"); };
    if (std::ranges::any_of(record, said)) count = index + 1;
  }
  return count;
}

void read_ports(const Context& context, const Records& ports) {
  const Call* call = context.calls.field("NVML_FI_DEV_NVLINK_COUNT_XMIT_PACKETS");
  if (call == nullptr || (!call->succeeded() && !of_the_board(call->code))) return;
  context.tell("nvlink_ports.ports", ports, told_of(ports), *call);
}

void read_c2c(const Context& context, const Records& links) {
  const Call* count = context.calls.field("NVML_FI_DEV_C2C_LINK_COUNT");
  if (count == nullptr || !count->succeeded()) return;
  context.tell("c2c.links", links, std::min(number(*count, "value").value_or(0), kMostLinks), *count);
}

void read_modes(const Context& context) {
  if (const Call* modes = context.calls.good("nvmlDeviceGetNvlinkSupportedBwModes")) {
    const auto bytes = bytes_of(member(modes->out, "supportedBwMode.bwModes"));
    const auto count = number(*modes, "supportedBwMode.totalBwModes").value_or(bytes.size());
    std::string yaml;
    for (std::size_t i = 0; i < bytes.size() && i < count; ++i)
      yaml += fmt::format("{}{}", i == 0 ? "" : ", ", bytes[i]);
    context.tell("nvlink.bandwidth_modes", "[" + yaml + "]", *modes);
  }
  if (const Call* mode = context.calls.good("nvmlDeviceGetNvlinkBwMode");
      mode != nullptr && number(*mode, "getBwMode.bIsBest") == 1) {
    context.tell("nvlink.bandwidth_mode_best", yaml_of(member(mode->out, "getBwMode.bwMode")), *mode);
  }
  for (const auto* function : {"nvmlDeviceGetNvLinkInfo", "nvmlDeviceGetNvLinkInfo_v3"}) {
    const Call* info = context.calls.good(function);
    if (info == nullptr || member(info->out, "info.firmwareInfo") == nullptr) continue;
    Records firmware;
    for (const Json& item : list(info, "info.firmwareInfo.firmwareVersion")) {
      firmware[firmware.size()] = {{"kind", yaml_of(member(item, "ucodeType"))},
                                   {"major", yaml_of(member(item, "major"))},
                                   {"minor", yaml_of(member(item, "minor"))},
                                   {"sub_minor", yaml_of(member(item, "subMinor"))}};
    }
    return context.tell("nvlink.firmware", firmware, firmware.size(), *info);
  }
}

}  // namespace

void read_links(const Context& context, std::map<std::string, Records, std::less<>>& lists, const LinkEnds& ends) {
  Records& links = lists["nvlink.links"];
  const Call* told_by = nullptr;
  const auto count = link_count(context, &told_by);
  if (told_by != nullptr) {
    for (std::uint64_t i = 0; i < count; ++i)
      read_link(context, i, ends, links[i]);
    context.tell("nvlink.links", links, count, *told_by);
  }
  read_ports(context, lists["nvlink_ports.ports"]);
  read_c2c(context, lists["c2c.links"]);
  read_modes(context);
  // No getter tells the threshold as shipped; it is the one in force until somebody sets another.
  if (const Call* threshold = context.calls.field("NVML_FI_DEV_NVLINK_GET_POWER_THRESHOLD");
      threshold != nullptr && threshold->succeeded())
    context.tell("nvlink.low_power_threshold_default", yaml_of(member(threshold->out, "value")), *threshold);
}

}  // namespace nvmlab::importer::replay
