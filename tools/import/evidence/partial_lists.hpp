// SPDX-License-Identifier: Apache-2.0
//
// Lists of which each input has a part: NVLink links (nvidia-smi has their speed, NCCL their other ends, topo -m their
// number), MIG profiles and the MIG devices that a capture shows. They are kept here while inputs are read, and become
// values of the state when all of them are (infer_links(), infer_mig()).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "compiler/literal.hpp"
#include "import/evidence/observation.hpp"

namespace nvmlab::importer {

struct LinkStatus {
  bool active = false;
  std::optional<std::uint32_t> speed_mbps;
  Origin origin;
};

// Links that end at one place.
struct LinkBundle {
  std::uint32_t count = 0;
  bool at_switch = false;
  std::string address;  // of the other end; empty when no input has it
  Origin origin;
};

struct MigProfile {
  std::string name;                 // "MIG 1g.10gb"
  compiler::LiteralRecord members;  // of the state's record, as far as the table has them
  std::uint32_t instances = 0;
  Origin origin;
};

struct MigPlacement {
  std::vector<std::uint32_t> starts;
  std::uint32_t size = 0;
  Origin origin;
};

// One MIG device, or one GPU instance without any.
struct MigDevice {
  compiler::LiteralRecord members;  // as inputs name them: gpu_instance, name, copy_engines, memory_used_bytes ...
  Origin origin;
};

struct MigInstance {
  std::string name = {};
  std::uint32_t slices = 0;  // where no name says it
  std::uint32_t profile = 0;
  std::uint32_t start = 0;
  std::uint32_t size = 0;
  Origin origin;
};

struct MigCompute {
  std::uint32_t gpu_instance = 0;
  std::uint32_t id = 0;
  std::string name;
  std::optional<std::uint32_t> profile = std::nullopt;  // and its place, where the input tells them
  std::optional<std::uint32_t> start = std::nullopt;
  Origin origin;
};

struct PartialLists {
  std::optional<Origin> no_links;                        // an input that says that there are none
  std::map<std::uint32_t, LinkStatus> links;             // nvlink --status, by the link's number
  std::map<std::uint32_t, std::uint32_t> capabilities;   // nvlink --capabilities
  std::vector<LinkBundle> bundles;                       // NCCL
  std::map<std::size_t, LinkBundle> bonded;              // topo -m, by the number of the other GPU
  std::map<std::uint32_t, MigProfile> mig_profiles;      // by id
  std::map<std::uint32_t, MigPlacement> mig_placements;  // by id of the profile
  std::map<std::uint32_t, MigDevice> mig_devices;        // by index
  std::map<std::uint32_t, MigInstance> gpu_instances;    // by id
  std::vector<MigCompute> compute_instances;
  std::map<std::uint32_t, std::uint64_t> process_bytes;  // frame buffer that processes hold, by GPU instance
};

}  // namespace nvmlab::importer
