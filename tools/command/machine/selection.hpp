// SPDX-License-Identifier: Apache-2.0
//
// Which GPUs --gpu means: an index, a UUID or the beginning of one, a PCI address, ranges and lists of them ("0,2-3"),
// or "all".
// Tests: tests/unit/command/selection_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/topics/pci/pci_address.hpp"

namespace nvmlab::tool {

struct SelectableGpu {
  std::string uuid;
  PciAddress address{};
};

// Of all GPUs of the machine, in order. Each GPU comes once, in the order of their indices.
std::expected<std::vector<std::uint32_t>, std::string> select_gpus(std::string_view text,
                                                                   std::span<const SelectableGpu> gpus);

// Of a machine that has so many: 0, 1, ...
std::vector<std::uint32_t> all_gpus(std::uint32_t count);

// "0-2,5": the inverse, for people.
std::string name_gpus(std::span<const std::uint32_t> gpus);

}  // namespace nvmlab::tool
