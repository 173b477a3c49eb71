// SPDX-License-Identifier: Apache-2.0
//
// What that mock works out where its configuration is silent. Tests: mock_config_test.cpp.
#include <fmt/format.h>

#include "compiler/mock/device.hpp"
#include "compiler/values.hpp"
#include "nvmlab/abi/generated/constants.hpp"

namespace nvmlab::compiler {
namespace {

template <class T>
void put(std::uint32_t leaf, T& fact, decltype(fact.value) value, GpuDraft& gpu) {
  if (gpu.marks[leaf].place != nullptr) return;
  fact.set(value);
  gpu.marks[leaf].source = &derived_source();
}

}  // namespace

void MockDevice::finish() {
  Gpu& gpu = *gpu_.state;
  put(leaf_of(*find_field("identity.multi_gpu_board")), gpu.identity.multi_gpu_board, 0, gpu_);
  put(leaf_of(*find_field("pci.base_class")), gpu.pci.base_class, 3, gpu_);
  put(leaf_of(*find_field("pci.sub_class")), gpu.pci.sub_class, 2, gpu_);
  put(leaf_of(*find_field("pci.replay_rollovers")), gpu.pci.replay_rollovers, 0, gpu_);
  const bool on =
      gpu.ecc.mode.value_or(0) == 1 && gpu.identity.architecture.value_or(0) >= nvml::abi::DEVICE_ARCH_AMPERE;
  put(leaf_of(*find_field("ecc.sram_supported")), gpu.ecc.sram_supported, on ? 1 : 0, gpu_);
  // Counters that the file leaves out are zero while error correction is on, as on a healthy board.
  const RecordTable& table = *find_field("ecc.sram")->field->record;
  for (std::uint32_t i = 0; on && i < table.field_count; ++i) {
    const FieldRef ref = *find_field(fmt::format("ecc.sram.{}", table.fields[i].name));
    if (gpu_.marks[leaf_of(ref)].place != nullptr) continue;
    yaml::Node zero;
    zero.kind = yaml::Kind::scalar;
    zero.scalar = "0";
    read_value(zero, *ref.field, ref.name, gpu_.bytes() + ref.offset, problems_);
    gpu_.marks[leaf_of(ref)].source = &derived_source();
  }
  fabric_summary();
  readings_that_change();
  temperature_limits();
  monitored_shares();
  monitored_traffic();
}

// From Ada on a board tells how far it is below its limits instead of the limits themselves.
void MockDevice::temperature_limits() {
  Thermal& thermal = gpu_.state->thermal;
  const std::uint32_t architecture = gpu_.state->identity.architecture.value_or(0);
  if (architecture < nvml::abi::DEVICE_ARCH_ADA || architecture == nvml::abi::DEVICE_ARCH_UNKNOWN ||
      !thermal.gpu_max_c.has_value())
    return;
  const auto limit = static_cast<std::int32_t>(thermal.gpu_max_c.value);
  const auto below = [&](auto& distance, auto& absolute) {
    if (absolute.has_value()) distance.set(limit - static_cast<std::int32_t>(absolute.value));
    absolute.set_error(kNotSupported);
  };
  if (thermal.gpu_c.has_value()) thermal.tlimit_c.set(limit - static_cast<std::int32_t>(thermal.gpu_c.value));
  below(thermal.shutdown_tlimit_c, thermal.shutdown_c);
  below(thermal.slowdown_tlimit_c, thermal.slowdown_c);
  below(thermal.gpu_max_tlimit_c, thermal.gpu_max_c);
  for (const char* name :
       {"thermal.tlimit_c", "thermal.shutdown_tlimit_c", "thermal.slowdown_tlimit_c", "thermal.gpu_max_tlimit_c"}) {
    gpu_.marks[leaf_of(*find_field(name))].source = &derived_source();
  }
}

}  // namespace nvmlab::compiler
