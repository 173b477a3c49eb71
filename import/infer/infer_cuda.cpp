// SPDX-License-Identifier: Apache-2.0
//
// What follows for NVML from what CUDA says, where nvidia-smi said nothing: highest clocks, the chip's generation, a
// driver that goes with the CUDA version. Tests: tests/unit/import/device_query_test.cpp.
#include <fmt/format.h>

#include "compiler/chips.hpp"
#include "engine/machine/driver_version.hpp"
#include "import/infer/infer.hpp"

namespace nvmlab::importer {
namespace {

std::uint64_t number_in(const FieldValue* value) { return value == nullptr ? 0 : value->number().value_or(0); }

// The generation by its compute capability, where neither a name nor a PCI device id says it.
void chip_of_cuda(Evidence& evidence, Subject& gpu) {
  const FieldValue* major = gpu.value("identity.compute_capability_major");
  if (major == nullptr || gpu.find("identity.architecture") != nullptr || gpu.find("pci.device_id") != nullptr) return;
  const auto capability = number_in(major) * 10 + number_in(gpu.value("identity.compute_capability_minor"));
  const compiler::Architecture* found = compiler::architecture_of(capability);
  if (found == nullptr) return;
  const auto source = evidence.add_source(
      {.id = "capability", .kind = "derived", .why = "the compute capability says which generation the chip is of"});
  evidence.observe(gpu, "identity.architecture", compiler::Label{std::string(found->name)},
                   {source, gpu.find("identity.compute_capability_major")->origin.place});
}

// CUDA's highest clocks where no input has NVML's.
void clocks_of_cuda(Evidence& evidence, Subject& gpu) {
  struct Clock {
    std::string_view cuda;
    std::string_view nvml;
  };
  constexpr Clock clocks[] = {{"cuda.clock_rate_khz", "clocks.max_graphics_mhz"},
                              {"cuda.clock_rate_khz", "clocks.max_sm_mhz"},
                              {"cuda.memory_clock_rate_khz", "clocks.max_memory_mhz"}};
  for (const auto& [cuda, nvml] : clocks) {
    const FieldValue* khz = gpu.value(cuda);
    if (khz == nullptr || gpu.find(nvml) != nullptr) continue;
    const auto source = evidence.add_source({.id = "peak", .kind = "derived", .why = "CUDA says that it is the peak"});
    evidence.observe(gpu, nvml, number_in(khz) / 1000, {source, gpu.find(cuda)->origin.place});
  }
}

// A machine has a driver, although only nvidia-smi prints which.
void driver_of_cuda(Evidence& evidence) {
  if (evidence.logged || evidence.gpus.empty() || evidence.node.find("system.driver_version") != nullptr) return;
  constexpr std::uint64_t usual = 12040;
  const Observation* cuda = evidence.node.find("system.cuda_version");
  const auto wanted = cuda == nullptr ? usual : cuda->value.number().value_or(usual);
  const DriverRelease* best = nullptr;
  for (std::uint32_t row = 0; row < driver_release_count(); ++row) {
    const DriverRelease& release = driver_release(row);
    if (release.release[0] != '\0' && (best == nullptr || release.cuda <= wanted)) best = &release;
  }
  if (best == nullptr) return;
  const Origin origin{
      evidence.add_source({.id = "release",
                           .kind = "derived",
                           .why = "no input names the driver; the release that goes with the CUDA version"}),
      cuda == nullptr ? yaml::Place{} : cuda->origin.place};
  evidence.observe(evidence.node, "system.driver_version", best->release, origin);
  if (cuda == nullptr) evidence.observe(evidence.node, "system.cuda_version", best->cuda, origin);
  evidence.notes.push_back(fmt::format("no input names the driver; {} is taken, which goes with CUDA {}.{}",
                                       best->release, best->cuda / 1000, best->cuda % 1000 / 10));
}

}  // namespace

void infer_cuda(Evidence& evidence) {
  driver_of_cuda(evidence);
  for (Subject& gpu : evidence.gpus) {
    if (gpu.complete) continue;
    if (shipped_board(evidence, gpu).empty()) clocks_of_cuda(evidence, gpu);
    chip_of_cuda(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
