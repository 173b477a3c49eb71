// SPDX-License-Identifier: Apache-2.0
#include "tests/import/recordings/lacking.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"
#include "engine/store/driver_version.hpp"
#include "import/replay/call_index.hpp"
#include "import/replay/rows.hpp"
#include "tests/import/recordings/leaves.hpp"

namespace nvmlab::test {
namespace {

// Functions that tell what the tables of the importer do not have: which items a list has, and single fields. One of
// them is enough.
struct Teller {
  std::string_view what;  // as leaves_are_called() says, or the beginning of it
  std::vector<std::string_view> functions;
};

const std::vector<Teller>& tellers() {
  static const std::vector<Teller> all{
      {"topology.cpu_affinity", {"nvmlDeviceGetCpuAffinity"}},
      {"topology.memory_affinity", {"nvmlDeviceGetMemoryAffinity"}},
      {"topology.numa_node", {"nvmlDeviceGetMemoryAffinity"}},  // that two share a node is told, not its number
      {"topology.root_complex", {"nvmlDeviceGetTopologyCommonAncestor"}},
      {"topology.pcie_switch", {"nvmlDeviceGetTopologyCommonAncestor"}},
      {"topology.upper_pcie_switch", {"nvmlDeviceGetTopologyCommonAncestor"}},
      {"clocks.pstates", {"nvmlDeviceGetSupportedPerformanceStates"}},
      {"clocks.monitor", {"nvmlDeviceGetClkMonStatus"}},
      {"thermal.fans.length", {"nvmlDeviceGetNumFans"}},
      {"thermal.fans[+]", {"nvmlDeviceGetNumFans"}},
      {"ecc.sram_supported", {"nvmlDeviceGetSramEccErrorStatus"}},
      {"ecc.sram_unique_supported", {"nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts"}},
      {"excluded.gpus", {"nvmlGetExcludedDeviceInfoByIndex"}},  // by the name before, recorders do not ask
      {"mig.profiles", {"nvmlDeviceGetGpuInstanceProfileInfo"}},
      {"power.workload_", {"nvmlDeviceWorkloadPowerProfileGetProfilesInfo"}},
      {"processes.running", {"nvmlDeviceGetGraphicsRunningProcesses"}},
      {"prm.", {"nvmlDeviceReadPRMCounters_v1"}},
      {"fabric.cliques", {"nvmlDeviceGetGpuFabricInfo_v4"}},
      {"nvlink.bandwidth_mode", {"nvmlDeviceGetNvlinkBwMode"}},
      {"nvlink.links", {"nvmlDeviceGetNvLinkState"}},
  };
  return all;
}

// "fans[1].rpm" is also "fans[].rpm", and "fans[+].rpm", as all but the first are.
std::vector<std::string> leaves_are_called(std::string_view leaf) {
  const auto open = leaf.find('[');
  if (open == std::string_view::npos) return {std::string(leaf)};
  const bool first = leaf.substr(open, 3) == "[0]";
  const std::string head(leaf.substr(0, open));
  const std::string rest(leaf.substr(leaf.find(']')));
  return {kind_of(leaf), kind_of(head + "[" + rest).replace(open, 2, first ? "[0]" : "[+]")};
}

// The number of the first item in a leaf's name; none where it is no item of that list.
std::optional<std::uint64_t> item_in(std::string_view leaf, std::string_view list) {
  if (!leaf.starts_with(list) || leaf.substr(list.size(), 1) != "[") return std::nullopt;
  const auto number = leaf.substr(list.size() + 1, leaf.find(']') - list.size() - 1);
  return whole_number(number);
}

// Lists of which a driver can name the first so many.
std::string_view beyond(std::string_view leaf, std::uint32_t driver) {
  const DriverRelease& release = driver_release(driver);
  const DriverRelease& newest = driver_release(driver_release_count() - 1);
  if (release.nvlink_links < newest.nvlink_links) {
    const auto link = item_in(leaf, "nvlink.links");
    if (leaf == "nvlink.links.length" || (link && *link >= release.nvlink_links))
      return "this driver names fewer links";
  }
  if (release.gpu_instance_profiles < newest.gpu_instance_profiles) {
    const auto profile = item_in(leaf, "mig.profiles");
    if (leaf == "mig.profiles.length" || (profile && *profile >= release.gpu_instance_profiles))
      return "this driver has no number for the profile";
  }
  return {};
}

bool is_field(std::string_view kind, std::string_view path) {
  // "nvlink.links[].speed_mbps" in the tables is "nvlink.links.speed_mbps". A member tells of how many there are, too.
  constexpr std::string_view length = ".length";
  if (kind.ends_with(length)) return path.starts_with(std::string(kind.substr(0, kind.size() - length.size())) + ".");
  std::string plain(kind);
  if (const auto at = plain.find("[]"); at != std::string::npos) plain.erase(at, 2);
  return plain == path;
}

}  // namespace

Lacking::Lacking(const recording::Recording& recording) : driver(driver_row(recording.header.driver.c_str())) {
  for (const auto& call : recording.calls) {
    if (call.code == "FUNCTION_NOT_FOUND") {
      functions.insert(call.function);
    } else if (call.function == "nvmlGpmMetricsGet" && call.code != "INVALID_ARGUMENT") {
      metrics.insert(call.in.value("metricId", ""));
    } else if (call.succeeded()) {
      answers.emplace(call.function, &call);
    }
  }
}

bool Lacking::output(std::string_view function, std::string_view output) const {
  if (functions.contains(function)) return true;
  const auto answer = answers.find(function);
  return answer != answers.end() && importer::replay::member(answer->second->out, output) == nullptr;
}

bool Lacking::tells_nothing_of(std::string_view leaf) const {
  namespace replay = importer::replay;
  const auto names = leaves_are_called(leaf);
  const bool lacks_tellers = std::ranges::any_of(tellers(), [&](const Teller& teller) {
    const auto is_it = [&](const std::string& name) { return name.starts_with(teller.what); };
    const auto lacks = [&](std::string_view function) { return functions.contains(function); };
    return std::ranges::any_of(names, is_it) && std::ranges::all_of(teller.functions, lacks);
  });
  if (lacks_tellers) return true;
  const std::string kind = kind_of(leaf);
  bool any = false;
  for (const auto& row : replay::item_rows()) {
    const bool first_alone = row.item == "0" && leaf.find("[0]") == std::string_view::npos;
    if (first_alone || !is_field(kind, fmt::format("{}.{}", row.list, row.member))) continue;
    any = true;
    if (!output(row.function, row.output)) return false;
  }
  for (const auto& row : replay::list_rows()) {
    if (!is_field(kind, fmt::format("{}.{}", row.list, row.inner.empty() ? row.member : row.inner))) continue;
    any = true;
    if (!functions.contains(row.function)) return false;
  }
  for (const auto rows : {replay::read_outputs(), replay::checked_outputs(), replay::call_outputs()}) {
    for (const auto& row : rows) {
      if (row.field != kind) continue;
      any = true;
      if (!output(row.function, row.output)) return false;
    }
  }
  for (const auto& row : replay::field_ids()) {
    for (const auto field : row.fields) {
      if (!is_field(kind, field)) continue;
      any = true;
      if (replay::driver_has(row, driver) && !functions.contains("nvmlDeviceGetFieldValues")) return false;
    }
  }
  for (const auto& row : replay::gpm_metrics()) {
    for (const auto field : row.fields) {
      if (field != kind) continue;
      any = true;
      if (metrics.contains(row.name)) return false;
    }
  }
  return any;
}

std::string_view Lacking::beyond_its_numbers(std::string_view leaf) const { return beyond(leaf, driver); }

Lacking Lacking::of_gpu(bool accounts_are_kept, bool is_cut) const {
  Lacking copy = *this;
  copy.accounting = accounts_are_kept;
  copy.cut = is_cut;
  return copy;
}

}  // namespace nvmlab::test
