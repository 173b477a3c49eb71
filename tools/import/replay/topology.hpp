// SPDX-License-Identifier: Apache-2.0
// Where GPUs sit to one another, from what NVML says of pairs.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "import/replay/context.hpp"

namespace nvmlab::importer::replay {

// Levels of nvmlGpuTopologyLevel_t by the indexes of both GPUs, the lower one first.
using Distances = std::map<std::pair<std::size_t, std::size_t>, std::uint64_t>;

// GPUs that reach a peer, by their indexes: over NVLink, and in one way or another, which that call tells.
struct Reach {
  std::set<std::size_t> over_links;
  std::map<std::size_t, const Call*> anyhow;
};

struct Placement {
  const Context& context;
  const CallIndex& calls;
};

// Of a call about a pair.
void read_distance(const Call& pair, Distances& distances);
void read_reach(const Call& pair, Reach& reach);
// Where peers are reached, and not over NVLink, boards let them over PCI Express.
void read_peer_access(const Context& context, std::size_t gpu, const Reach& reach);
// The GPUs in the order of the recording.
void read_topology(std::span<const Placement> gpus, const Distances& distances);

}  // namespace nvmlab::importer::replay
