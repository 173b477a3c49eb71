// SPDX-License-Identifier: Apache-2.0
//
// What follows for NVML from what CUDA tells, where nvidia-smi told nothing: highest clocks, the chip's generation, a
// driver that goes with the CUDA version. Tests: tests/unit/import/device_query_test.cpp.
#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/machine/driver_version.hpp"
#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {
namespace {

std::uint32_t number_of(const Fact* fact) {
  std::uint32_t number = 0;
  if (fact != nullptr) std::from_chars(fact->yaml.data(), fact->yaml.data() + fact->yaml.size(), number);
  return number;
}

// The generation by its compute capability, where neither a name nor a PCI device id tells it.
void chip_of_cuda(Evidence& evidence, Subject& gpu) {
  struct Generation {
    std::uint32_t first;  // compute capability, ten times the major
    std::string_view name;
  };
  constexpr Generation generations[] = {{100, "blackwell"}, {90, "hopper"},  {89, "ada"},
                                        {80, "ampere"},     {75, "turing"},  {70, "volta"},
                                        {60, "pascal"},     {50, "maxwell"}, {30, "kepler"}};
  const Fact* major = gpu.find("identity.compute_capability_major");
  if (major == nullptr || !major->known || gpu.find("identity.architecture") != nullptr ||
      gpu.find("pci.device_id") != nullptr)
    return;
  const auto capability = number_of(major) * 10 + number_of(gpu.find("identity.compute_capability_minor"));
  const auto* found = std::ranges::find_if(generations, [&](const auto& row) { return capability >= row.first; });
  if (found == std::end(generations)) return;
  const auto source = evidence.source(
      "capability", "{kind: derived, why: the compute capability says which generation the chip is of}");
  evidence.state(gpu, "identity.architecture", std::string(found->name), source, major->place);
}

// CUDA's highest clocks where nobody told NVML's.
void clocks_of_cuda(Evidence& evidence, Subject& gpu) {
  struct Clock {
    std::string_view cuda;
    std::string_view nvml;
  };
  constexpr Clock clocks[] = {{"cuda.clock_rate_khz", "clocks.max_graphics_mhz"},
                              {"cuda.clock_rate_khz", "clocks.max_sm_mhz"},
                              {"cuda.memory_clock_rate_khz", "clocks.max_memory_mhz"}};
  for (const auto& [cuda, nvml] : clocks) {
    const Fact* told = gpu.find(cuda);
    if (told == nullptr || !told->known || gpu.find(nvml) != nullptr) continue;
    const auto source = evidence.source("peak", "{kind: derived, why: CUDA says that it is the peak}");
    evidence.state(gpu, nvml, std::to_string(number_of(told) / 1000), source, told->place);
  }
}

// A machine has a driver, although only nvidia-smi prints which.
void driver_of_cuda(Evidence& evidence) {
  if (evidence.logged || evidence.gpus.empty() || evidence.node.find("system.driver_version") != nullptr) return;
  constexpr std::uint32_t usual = 12040;
  const Fact* cuda = evidence.node.find("system.cuda_version");
  const std::uint32_t wanted = cuda != nullptr && cuda->known ? number_of(cuda) : usual;
  const DriverRelease* best = nullptr;
  for (std::uint32_t row = 0; row < driver_release_count(); ++row) {
    const DriverRelease& release = driver_release(row);
    if (release.release[0] != '\0' && (best == nullptr || release.cuda <= wanted)) best = &release;
  }
  if (best == nullptr) return;
  const auto source = evidence.source(
      "release", "{kind: derived, why: no input names the driver; the release that goes with the CUDA version}");
  const auto place = cuda == nullptr ? yaml::Place{} : cuda->place;
  evidence.state(evidence.node, "system.driver_version", scalar(best->release, true, place), source);
  if (cuda == nullptr) evidence.state(evidence.node, "system.cuda_version", std::to_string(best->cuda), source, place);
  evidence.notes.push_back(fmt::format("no input names the driver; {} is taken, which goes with CUDA {}.{}",
                                       best->release, best->cuda / 1000, best->cuda % 1000 / 10));
}

}  // namespace

void conclude_cuda(Evidence& evidence) {
  driver_of_cuda(evidence);
  for (Subject& gpu : evidence.gpus) {
    if (gpu.whole) continue;
    if (shipped_board(evidence, gpu).empty()) clocks_of_cuda(evidence, gpu);
    chip_of_cuda(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
