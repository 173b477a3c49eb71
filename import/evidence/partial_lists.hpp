// SPDX-License-Identifier: Apache-2.0
//
// Lists that several inputs tell parts of: NVLink links (their speed by nvidia-smi, their other ends by NCCL, their
// number by topo -m), MIG profiles and the MIG devices that a capture shows. They are gathered here while inputs are
// read, and become values of the state when all of them are (conclude_links(), conclude_mig()).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/yaml/tree.hpp"

namespace nvmlab::importer {

// Who says so.
struct Told {
  std::size_t source = 0;
  yaml::Place place;
};

struct LinkStatus {
  bool active = false;
  std::optional<std::uint32_t> speed_mbps;
  Told told;
};

// Links that end at one place.
struct LinkBundle {
  std::uint32_t count = 0;
  bool at_switch = false;
  std::string address;  // of the other end; empty when it is not told
  Told told;
};

struct MigProfile {
  std::string name;     // "MIG 1g.10gb"
  std::string members;  // what the table tells, as members of the state's record in YAML
  std::uint32_t instances = 0;
  Told told;
};

struct MigPlacement {
  std::vector<std::uint32_t> starts;
  std::uint32_t size = 0;
  Told told;
};

// One MIG device, or one GPU instance without any.
struct MigDevice {
  std::map<std::string, std::string, std::less<>> members;  // of the state's record, as YAML
  Told told;
};

struct MigInstance {
  std::string name;
  std::uint32_t profile = 0;
  std::uint32_t start = 0;
  std::uint32_t size = 0;
  Told told;
};

struct MigCompute {
  std::uint32_t gpu_instance = 0;
  std::uint32_t id = 0;
  std::string name;
  Told told;
};

struct Gathered {
  bool no_links = false;
  std::optional<Told> no_links_told;
  std::map<std::uint32_t, LinkStatus> links;             // nvlink --status, by the link's number
  std::map<std::uint32_t, std::uint32_t> capabilities;   // nvlink --capabilities
  std::vector<LinkBundle> bundles;                       // NCCL
  std::map<std::size_t, LinkBundle> bonded;              // topo -m, by the number of the other GPU
  std::map<std::uint32_t, MigProfile> mig_profiles;      // by id
  std::map<std::uint32_t, MigPlacement> mig_placements;  // by id of the profile
  std::map<std::uint32_t, MigDevice> mig_devices;        // by index
  std::map<std::uint32_t, MigInstance> gpu_instances;    // by id
  std::vector<MigCompute> compute_instances;
};

}  // namespace nvmlab::importer
