// SPDX-License-Identifier: Apache-2.0
#include "command/library/installed.hpp"

#include <fmt/format.h>

#include <nvmlab/nvml/json.hpp>

namespace nvmlab::tool {

std::expected<nvml::Library, std::string> open_nvml(const std::string& library) {
  nvml::Library::Options options;
  options.path = library;
  auto opened = nvml::Library::open(options);
  if (opened) return *std::move(opened);
  const nvml::Error& error = opened.error();
  std::string text = error.message();
  if (error.origin() == nvml::Origin::loader && options.path.empty())
    text = "there is no NVIDIA driver here; --profile dgx-h100 asks simulated GPUs\n" + text;
  return std::unexpected(std::move(text));
}

std::string snapshot_json(const nvml::Device& device) { return nvml::to_json(nvml::snapshot(device)); }

}  // namespace nvmlab::tool
