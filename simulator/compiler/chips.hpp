// SPDX-License-Identifier: Apache-2.0
//
// Generations and chips of GPUs, from model/chips.yaml: what follows from a PCI device id, the name of a generation or
// a compute capability. Tests: tests/unit/compiler/chips_test.cpp.
#pragma once

#include <cstdint>
#include <string_view>

namespace nvmlab::compiler {

enum class MemoryRepair : std::uint8_t { pages, rows };

struct Architecture {
  std::string_view name;             // as the state's labels have it: "ampere"
  std::uint32_t number;              // NVML_DEVICE_ARCH_*
  std::uint32_t compute_capability;  // of its first chip: 10 x major + minor
  std::uint32_t nvlink_version;      // NVML_NVLINK_VERSION_*; 0: it has no links
  MemoryRepair repairs;
  bool datacenter_only;
};

struct Chip {
  std::string_view name;
  std::uint32_t first_id;  // upper half of pci.device_id
  std::uint32_t last_id;
  std::string_view architecture;
  std::string_view family;           // the profile of boards with that chip
  std::uint32_t compute_capability;  // 10 x major + minor
  bool datacenter_only;
};

// Null where none is known.
const Chip* find_chip(std::uint64_t pci_device_id);
const Architecture* find_architecture(std::string_view name);
// The newest that is not newer than the compute capability.
const Architecture* architecture_of(std::uint64_t compute_capability);

}  // namespace nvmlab::compiler
