// SPDX-License-Identifier: Apache-2.0
// vGPUs as users write them on a command line. Tests: tests/command/vgpu_test.cpp.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "control/vgpus.hpp"

namespace nvmlab::tool {

// The options of `nvmlab vgpu add`.
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

// Returns a vGPU for each of the GPUs.
std::expected<std::vector<CreateVgpu>, std::string> read_vgpus(const VgpuWords& words, const Machine& machine,
                                                               const std::vector<std::uint32_t>& gpus);

}  // namespace nvmlab::tool
