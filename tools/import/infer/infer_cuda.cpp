// SPDX-License-Identifier: Apache-2.0
//
// What follows for NVML from what CUDA says, where nvidia-smi said nothing: highest clocks, the chip's generation, a
// driver that goes with the CUDA version. Tests: tests/unit/import/device_query_test.cpp.
#include <fmt/format.h>

#include "compiler/chips.hpp"
#include "engine/store/driver_version.hpp"
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

}  // namespace

void infer_cuda(Evidence& evidence) {
  for (Subject& gpu : evidence.gpus) {
    if (gpu.complete) continue;
    if (shipped_board(evidence, gpu).empty()) clocks_of_cuda(evidence, gpu);
    chip_of_cuda(evidence, gpu);
  }
}

}  // namespace nvmlab::importer
