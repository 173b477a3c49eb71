// SPDX-License-Identifier: Apache-2.0
#include "command/machine/instances.hpp"

#include <fmt/format.h>

#include "base/nearest.hpp"
#include "base/text.hpp"

namespace nvmlab::tool {
namespace {

std::expected<std::uint32_t, std::string> instance_id(const std::optional<std::string>& word, const char* option) {
  if (!word) return kNoInstance;
  const auto id = whole_number(*word);
  if (!id || *id >= kNoInstance)
    return std::unexpected(fmt::format("{} takes a number, not {}", option, in_quotes(*word)));
  return static_cast<std::uint32_t>(*id);
}

}  // namespace

void InstanceOptions::declare(CommandLine& line) {
  line.option("--gpu-instance", "ID", gpu, "The GPU instance that it belongs to");
  line.option("--compute-instance", "ID", compute, "The compute instance that it belongs to");
}

std::expected<Instances, std::string> InstanceOptions::read() const {
  const auto of_gpu = instance_id(gpu, "--gpu-instance");
  if (!of_gpu) return std::unexpected(of_gpu.error());
  const auto of_compute = instance_id(compute, "--compute-instance");
  if (!of_compute) return std::unexpected(of_compute.error());
  return Instances{*of_gpu, *of_compute};
}

}  // namespace nvmlab::tool
