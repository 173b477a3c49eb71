// SPDX-License-Identifier: Apache-2.0
//
// The values that NVML returns at one moment: a copy of the state of a machine and of some of its GPUs, each consistent
// in itself and canonical (compiler/canonical.hpp). control/snapshot.hpp is the state that can be saved and restored.
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
#include "control/selection.hpp"
#include "engine/store/store.hpp"

namespace nvmlab::control {

struct MachineView {
  std::unique_ptr<Node> node;
  std::vector<std::uint32_t> indices;  // the index of each of `gpus` in the machine
  std::vector<Gpu> gpus;
  std::uint32_t gpu_count = 0;      // of the whole machine
  std::unique_ptr<Pins> node_pins;  // null for a profile, which pins nothing
  std::vector<Pins> pins;           // of each of `gpus`; empty for a profile

  // Returns the Gpu at this place in `gpus`, or the Node: whichever has the field.
  const std::byte* owner_of(const compiler::FieldRef& ref, std::size_t gpu) const;

  // Returns true if the field is pinned on the GPU at this place in `gpus`, or on the node.
  bool pinned(const compiler::FieldRef& ref, std::size_t gpu) const;

  // Removes all other GPUs from the view of a whole profile.
  void keep_only(std::span<const std::uint32_t> gpus);
};

MachineView view_of(const Machine& machine, std::span<const std::uint32_t> gpus);
MachineView view_of(const Machine& machine);  // all GPUs
MachineView view_of(const compiler::Machine& machine);

// Returns true if a load runs on the GPU or has run on it: its readings change without a change of the machine.
bool is_loaded(const Machine& machine, std::uint32_t gpu);

std::vector<SelectableGpu> selectable_gpus(const MachineView& view);
std::string uuid_of(const Gpu& gpu);
std::string uuid_of(const Text<96>& uuid);  // empty if the GPU does not report one

}  // namespace nvmlab::control
