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

// GPUs that reach a peer over NVLink, by their indexes.
using Linked = std::set<std::size_t>;

struct Placement {
  const Context& context;
  const CallIndex& calls;
};

// Of a call about a pair.
void read_distance(const Call& pair, Distances& distances);
void read_reach(const Call& pair, Linked& linked);
// The GPUs in the order of the recording.
void read_topology(std::span<const Placement> gpus, const Distances& distances);

}  // namespace nvmlab::importer::replay
