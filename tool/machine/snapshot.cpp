// SPDX-License-Identifier: Apache-2.0
#include "tool/machine/snapshot.hpp"

#include <algorithm>

namespace nvmlab::tool {
namespace {

std::string uuid_text(const Text<96>& uuid) {
  return uuid.has_value() ? std::string(uuid.data, std::min(uuid.length, 95u)) : "";
}

}  // namespace

Snapshot take_snapshot(const Store& store, std::span<const std::uint32_t> gpus) {
  Snapshot snapshot;
  snapshot.node = std::make_unique<Node>(consistent(store.node, [](const Node& node) { return load(node); }));
  snapshot.indices.assign(gpus.begin(), gpus.end());
  snapshot.gpu_count = store.header.gpu_count;
  snapshot.gpus.reserve(gpus.size());
  for (const std::uint32_t index : gpus) {
    snapshot.gpus.push_back(consistent(store.gpus()[index], [](const Gpu& gpu) { return load(gpu); }));
  }
  return snapshot;
}

Snapshot take_snapshot(const compiler::Machine& machine) {
  Snapshot snapshot;
  snapshot.node = std::make_unique<Node>(machine.node());
  snapshot.gpu_count = machine.gpu_count();
  snapshot.gpus.reserve(snapshot.gpu_count);
  for (std::uint32_t i = 0; i < snapshot.gpu_count; ++i) {
    snapshot.indices.push_back(i);
    snapshot.gpus.push_back(machine.gpu(i));
  }
  return snapshot;
}

std::vector<std::string> uuids_of(const Store& store) {
  std::vector<std::string> uuids;
  for (std::uint32_t i = 0; i < store.header.gpu_count; ++i) {
    uuids.push_back(uuid_text(read_field(store.gpus()[i], &Gpu::identity, &Identity::uuid)));
  }
  return uuids;
}

std::string uuid_of(const Gpu& gpu) { return uuid_text(gpu.identity.uuid); }

}  // namespace nvmlab::tool
