// SPDX-License-Identifier: Apache-2.0
//
// CPUs next to a GPU, and where GPUs sit to one another: the inverse of drivers/nvml/hooks/topology.cpp. NVML tells of
// each pair how far apart the two are; GPUs that are near enough sit on one switch, below one host bridge, at one node.
#include "import/replay/topology.hpp"

#include <algorithm>
#include <bit>
#include <ranges>

namespace nvmlab::importer::replay {
namespace {

// nvmlGpuTopologyLevel_t
constexpr std::uint64_t kSingle = 10;
constexpr std::uint64_t kMultiple = 20;
constexpr std::uint64_t kHostBridge = 30;
constexpr std::uint64_t kNode = 40;
constexpr std::uint64_t kSystem = 50;

std::vector<std::uint64_t> mask_of(const Call* call, std::string_view output) {
  std::vector<std::uint64_t> words;
  for (const Json& word : list(call, output))
    words.push_back(number(&word).value_or(0));
  // What is beyond the last CPU or node is no part of the mask; one word is.
  while (words.size() > 1 && words.back() == 0)
    words.pop_back();
  return words;
}

const Call* affinity_call(const CallIndex& calls) {
  return calls.find("nvmlDeviceGetMemoryAffinity", "scope=0");  // the node, not the socket
}

void read_mask(const Context& context, const Call* call, std::string_view output, std::string_view field) {
  if (says_items(call, output)) context.set(field, mask_of(call, output), *call);
}

// The node whose bit is the only one; none where there are several.
std::optional<std::uint64_t> only_node(const CallIndex& calls) {
  const auto words = mask_of(affinity_call(calls), "nodeSet");
  std::optional<std::uint64_t> node;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == 0) continue;
    if (node || !std::has_single_bit(words[i])) return std::nullopt;
    node = i * 64 + static_cast<std::uint64_t>(std::countr_zero(words[i]));
  }
  return node;
}

// Groups of GPUs no two of which are further apart than `level` from the next, numbered in order.
std::vector<std::uint64_t> groups(std::size_t count, const Distances& distances, std::uint64_t level) {
  std::vector<std::size_t> leader(count);
  std::ranges::copy(std::views::iota(std::size_t{0}, count), leader.begin());
  for (const auto& [pair, distance] : distances) {
    if (distance > level) continue;
    const auto from = leader[pair.second];
    const auto to = leader[pair.first];
    for (std::size_t& each : leader)
      each = each == from ? to : each;
  }
  std::map<std::size_t, std::uint64_t> numbers;
  std::vector<std::uint64_t> all;
  for (const std::size_t each : leader)
    all.push_back(numbers.try_emplace(each, numbers.size()).first->second);
  return all;
}

// The nodes that memory affinity names, where they agree with the distances; else groups.
std::vector<std::uint64_t> nodes(std::span<const Placement> gpus, const Distances& distances) {
  std::vector<std::uint64_t> named;
  for (const Placement& gpu : gpus) {
    if (const auto node = only_node(gpu.calls)) named.push_back(*node);
  }
  const bool agree = named.size() == gpus.size() && std::ranges::all_of(distances, [&](const auto& each) {
                       const bool same = named[each.first.first] == named[each.first.second];
                       return each.second == kNode ? same : each.second < kNode || !same;
                     });
  return agree ? named : groups(gpus.size(), distances, kNode);
}

}  // namespace

void read_affinity(const Context& context) {
  read_mask(context, context.calls.find("nvmlDeviceGetCpuAffinity"), "cpuSet", "topology.cpu_affinity");
  read_mask(context, affinity_call(context.calls), "nodeSet", "topology.memory_affinity");
}

void read_distance(const Call& pair, Distances& distances) {
  if (pair.function != "nvmlDeviceGetTopologyCommonAncestor" || !pair.succeeded()) return;
  const auto level = number(pair, "pathInfo");
  if (!level || !pair.subject.gpu || !pair.subject.peer || *pair.subject.gpu == *pair.subject.peer) return;
  distances.emplace(std::minmax(std::size_t{*pair.subject.gpu}, std::size_t{*pair.subject.peer}), *level);
}

void read_reach(const Call& pair, Reach& reach) {
  if (pair.function != "nvmlDeviceGetP2PStatus" || !pair.succeeded() || !pair.subject.gpu) return;
  if (number(pair, "p2pStatus") != 0) return;
  if (matches(pair, "p2pIndex=NVML_P2P_CAPS_INDEX_NVLINK")) reach.over_links.insert(*pair.subject.gpu);
  if (matches(pair, "p2pIndex=NVML_P2P_CAPS_INDEX_READ")) reach.anyhow.emplace(*pair.subject.gpu, &pair);
}

void read_peer_access(const Context& context, std::size_t gpu, const Reach& reach) {
  const auto peer = reach.anyhow.find(gpu);
  if (peer != reach.anyhow.end() && !reach.over_links.contains(gpu))
    context.set("pci.peer_access", std::uint64_t{1}, *peer->second);
}

void read_topology(std::span<const Placement> gpus, const Distances& all) {
  Distances distances;
  for (const auto& each : all) {
    if (each.first.second < gpus.size()) distances.insert(each);
  }
  const auto near = [](const auto& each) { return each.second < kSystem; };
  const bool apart = std::ranges::none_of(distances, near);
  const auto node = nodes(gpus, distances);
  const auto bridge = groups(gpus.size(), distances, kHostBridge);
  const auto upper = groups(gpus.size(), distances, kMultiple);
  const auto lower = groups(gpus.size(), distances, kSingle);
  const bool stacked = std::ranges::any_of(distances, [](const auto& each) { return each.second == kMultiple; });
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const Context& context = gpus[i].context;
    const Call* call = affinity_call(gpus[i].calls);
    const bool placed = call != nullptr && call->succeeded();
    // Of GPUs that are apart from all others, and of which no node is known, nothing is known.
    if (apart && !placed) continue;
    if (call == nullptr) call = gpus[i].calls.find("nvmlDeviceGetPciInfo_v3");
    if (call == nullptr) continue;
    context.set("topology.numa_node", node[i], *call);
    context.set("topology.root_complex", bridge[i], *call);
    context.set("topology.pcie_switch", lower[i], *call);
    if (stacked) context.set("topology.upper_pcie_switch", upper[i], *call);
  }
}

}  // namespace nvmlab::importer::replay
