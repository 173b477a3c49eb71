// SPDX-License-Identifier: Apache-2.0
//
// GPUs of a machine by an index, a UUID or the beginning of one, a PCI address, ranges and lists of them ("0,2-3"), or
// "all". Tests: tests/unit/control/selection_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab {

class Machine;

namespace control {

/// The names by which a GPU can be selected, besides its index.
struct SelectableGpu {
  std::string uuid;
  PciAddress address{};
};

/// Returns the GPUs of a machine in the order of their indices.
std::vector<SelectableGpu> selectable_gpus(const Machine& machine);

/// Returns the indices that `text` selects from these GPUs, each once, in ascending order. The error is a sentence.
std::expected<std::vector<std::uint32_t>, std::string> select_gpus(std::string_view text,
                                                                   std::span<const SelectableGpu> gpus);
std::expected<std::vector<std::uint32_t>, std::string> select_gpus(const Machine& machine, std::string_view text);

/// Returns 0, 1, ... for a machine with `count` GPUs.
std::vector<std::uint32_t> all_gpus(std::uint32_t count);

/// Returns "0-2,5": the inverse of select_gpus().
std::string name_gpus(std::span<const std::uint32_t> gpus);

}  // namespace control
}  // namespace nvmlab
