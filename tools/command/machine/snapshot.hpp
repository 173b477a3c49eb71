// SPDX-License-Identifier: Apache-2.0
//
// A copy of a node and of some of its GPUs, each consistent in itself and canonical (compiler/canonical.hpp), that
// commands can look at in peace: what NVML tells. What is saved is control/snapshot.hpp.
// Tests: tests/unit/command/listing_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "compiler/compile.hpp"
#include "compiler/paths.hpp"
#include "engine/store/store.hpp"
#include "command/machine/selection.hpp"

namespace nvmlab::tool {

struct Snapshot {
  std::unique_ptr<Node> node;
  std::vector<std::uint32_t> indices;  // of `gpus`, within their machine
  std::vector<Gpu> gpus;
  std::uint32_t gpu_count = 0;      // of the machine
  std::unique_ptr<Pins> node_pins;  // null of a profile, where nothing is pinned
  std::vector<Pins> pins;           // of `gpus`

  // The Gpu at this place in `gpus`, or the Node, that has the field.
  const std::byte* owner_of(const compiler::FieldRef& ref, std::size_t gpu) const;

  // Whether control has pinned the field on the GPU at this place in `gpus`, or on the node.
  bool pinned(const compiler::FieldRef& ref, std::size_t gpu) const;

  void keep_only(std::span<const std::uint32_t> gpus);  // of a profile, whose GPUs are all there
};

Snapshot take_snapshot(const Store& store, std::span<const std::uint32_t> gpus);
Snapshot take_snapshot(const compiler::Machine& machine);

// Whether something works on a GPU, or has; then its readings move.
bool is_loaded(const Store& store, std::uint32_t gpu);

std::vector<SelectableGpu> selectable_gpus(const Store& store);
std::vector<SelectableGpu> selectable_gpus(const Snapshot& snapshot);
std::string uuid_of(const Gpu& gpu);

}  // namespace nvmlab::tool
