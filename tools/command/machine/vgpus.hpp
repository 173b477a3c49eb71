// SPDX-License-Identifier: Apache-2.0
// vGPUs as people write them on a command line. Tests: tests/command/vgpu_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "engine/change/change.hpp"
#include "engine/topics/vgpu/vgpu_host.hpp"

namespace nvmlab::tool {

// What `nvmlab vgpu add` was given; what is absent is made up.
struct VgpuWords {
  std::string type;
  std::optional<std::string> vm;
  std::optional<std::string> uuid;
  std::optional<std::string> mdev_uuid;
  std::optional<std::string> placement;
  std::optional<std::string> memory;
  std::optional<std::string> guest_driver;
  bool licensed = false;
};

// For each of the GPUs.
std::expected<std::vector<Change>, std::string> read_vgpus(const VgpuWords& words, const Store& store,
                                                           const std::vector<std::uint32_t>& gpus);

// Types of a GPU, with how many more of each can be created now.
struct OfferedType {
  VgpuType type;
  std::uint32_t creatable;
};
std::vector<OfferedType> offered_types(const Store& store, std::uint32_t gpu);

// vGPUs on these GPUs, in the order of their numbers.
std::vector<VgpuInstance> running_vgpus(const Store& store, const std::vector<std::uint32_t>& gpus);

// Makes GPUs vGPU hosts, or ends that. Returns why the machine rejects it, or nothing.
std::optional<std::string> host_vgpus(Store& store, StoreFile& file, const std::vector<std::uint32_t>& gpus,
                                      bool enabled);
// Makes all changes, or none. Returns the id of the vGPU that each created (0: none), or why the machine rejects them.
std::expected<std::vector<std::uint32_t>, std::string> apply_to_vgpus(Store& store, StoreFile& file,
                                                                      const std::vector<Change>& changes);

}  // namespace nvmlab::tool
