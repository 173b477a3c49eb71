// SPDX-License-Identifier: Apache-2.0
//
// What names one GPU of a node, for GPUs that nobody named. A GPU may be described several times over: by `count` of a
// profile (compiler/derive.cpp), and by more GPUs than the machine has (replicate.hpp: --gpus, NVMLAB_GPUS). Both take
// their identities from here, so that the machine is the same. Tests: tests/unit/machine/identity_test.cpp,
// tests/unit/compiler/repeat_test.cpp.
#pragma once

#include <cstdint>

#include "engine/state/fact.hpp"

namespace nvmlab {

// The fields that a repeated GPU does not have from the GPU that it repeats. Of a bus that is taken, the domain
// follows.
inline constexpr const char* kIdentityFields[] = {
    "identity.uuid",      "identity.serial",           "identity.pdi",           "identity.minor_number",
    "identity.module_id", "fabric.platform_module_id", "fabric.gpu_fabric_guid", "pci.bus",
};

// The UUID and the PDI of GPU `index` depend on the machine's name and on that alone, as far as an image keeps it. They
// are fixed for good: what users wrote down must stay right.
void derive_uuid(const char* machine, std::uint32_t index, Text<96>* out);
std::uint64_t derive_pdi(const char* machine, std::uint32_t index);

// Adds in decimal and keeps the width; letters are passed over. Without a serial number there is nothing to add to.
void count_up(Text<32>* serial, std::uint64_t by);
// As one large number.
void count_up(Bytes<16>* guid, std::uint64_t by);
void count_up(Fact<std::uint32_t>* number, std::uint64_t by);

// The digits of a serial number as one number, and the low half of a fabric GUID: what count_up() adds to.
std::uint64_t number_of(const Text<32>& serial);
std::uint64_t number_of(const Bytes<16>& guid);

struct PciBus {
  std::uint32_t domain;
  std::uint32_t bus;
  constexpr bool operator==(const PciBus&) const = default;
};

// Bus after bus, and behind bus 255 of a domain bus 1 of the next.
constexpr PciBus bus_behind(PciBus from, std::uint32_t steps) {
  constexpr std::uint32_t last = 0xFF;
  if (from.bus <= last && steps <= last - from.bus) return {from.domain, from.bus + steps};
  const std::uint32_t beyond = from.bus + steps - (last + 1);
  return {from.domain + 1 + beyond / last, 1 + beyond % last};
}

}  // namespace nvmlab
