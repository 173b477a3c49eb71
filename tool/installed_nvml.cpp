// SPDX-License-Identifier: Apache-2.0
#include "tool/installed_nvml.hpp"

#include <fmt/format.h>

namespace nvmlab::tool {

std::expected<nvml::Library, std::string> open_nvml(const Arguments& arguments) {
  nvml::Library::Options options;
  options.path = std::string(arguments.option_or("--library", ""));
  auto library = nvml::Library::open(options);
  if (library) return *std::move(library);
  const nvml::Error& error = library.error();
  std::string text = error.message();
  if (error.origin() == nvml::Origin::loader && options.path.empty())
    text += "\nThere is no NVIDIA driver here; `nvmlab run -- nvmlab ...` asks simulated GPUs";
  return std::unexpected(std::move(text));
}

}  // namespace nvmlab::tool
