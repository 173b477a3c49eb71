// SPDX-License-Identifier: Apache-2.0
#include "compiler/derive.hpp"

#include <set>
#include <tuple>

#include "engine/machine/identity.hpp"

namespace nvmlab::compiler {
namespace {

// The leaves that name one board and its place.
struct Leaves {
  std::uint32_t uuid = leaf_of(*find_field("identity.uuid"));
  std::uint32_t serial = leaf_of(*find_field("identity.serial"));
  std::uint32_t pdi = leaf_of(*find_field("identity.pdi"));
  std::uint32_t minor = leaf_of(*find_field("identity.minor_number"));
  std::uint32_t module = leaf_of(*find_field("identity.module_id"));
  std::uint32_t platform_module = leaf_of(*find_field("fabric.platform_module_id"));
  std::uint32_t guid = leaf_of(*find_field("fabric.gpu_fabric_guid"));
  std::uint32_t domain = leaf_of(*find_field("pci.domain"));
  std::uint32_t bus = leaf_of(*find_field("pci.bus"));
  std::uint32_t device = leaf_of(*find_field("pci.device"));
};

const Leaves& leaves() {
  static const Leaves all;
  return all;
}

bool silent(const Mark& mark) { return mark.node == nullptr; }

void derive_identity(const std::string& machine, std::uint32_t index, GpuDraft& gpu) {
  const Leaves& leaf = leaves();
  Identity& identity = gpu.state->identity;
  const bool another = gpu.marks[leaf.uuid].behind > 0 && identity.uuid.has_value();
  if (silent(gpu.marks[leaf.uuid]) || another) {
    derive_uuid(machine.c_str(), index, &identity.uuid);
    gpu.marks[leaf.uuid].source = &derived_source();
  }
  if (gpu.marks[leaf.pdi].behind > 0 && identity.pdi.has_value()) {
    identity.pdi.set(derive_pdi(machine.c_str(), index));
  }
  if (Mark& mark = gpu.marks[leaf.minor]; silent(mark)) {
    identity.minor_number.set(index);
    mark.source = &derived_source();
  } else {
    count_up(&identity.minor_number, mark.behind);
  }
  count_up(&identity.serial, gpu.marks[leaf.serial].behind);
  count_up(&identity.module_id, gpu.marks[leaf.module].behind);
  count_up(&gpu.state->fabric.platform_module_id, gpu.marks[leaf.platform_module].behind);
  count_up(&gpu.state->fabric.gpu_fabric_guid, gpu.marks[leaf.guid].behind);
}

class Addresses {
 public:
  void add(const Pci& pci) { taken_.insert({pci.domain.value, pci.bus.value, pci.device.value}); }

  // The next bus behind `from` where the device is free.
  PciBus next(PciBus from, std::uint32_t device) {
    while (!taken_.insert({from.domain, from.bus, device}).second)
      from = bus_behind(from, 1);
    return from;
  }

 private:
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken_;  // domain, bus, device
};

bool address_is_open(const GpuDraft& gpu) {
  const Mark& bus = gpu.marks[leaves().bus];
  return silent(bus) || (bus.behind > 0 && gpu.state->pci.bus.has_value());
}

void derive_addresses(std::vector<GpuDraft>& gpus) {
  const Leaves& leaf = leaves();
  Addresses addresses;
  for (GpuDraft& gpu : gpus) {
    Pci& pci = gpu.state->pci;
    for (auto [which, fact] : {std::pair(leaf.domain, &pci.domain), std::pair(leaf.device, &pci.device)}) {
      if (!silent(gpu.marks[which])) continue;
      fact->set(0);
      gpu.marks[which].source = &derived_source();
    }
    if (!address_is_open(gpu)) addresses.add(pci);
  }
  for (GpuDraft& gpu : gpus) {
    if (!address_is_open(gpu)) continue;
    Pci& pci = gpu.state->pci;
    const PciBus bus = addresses.next({pci.domain.value, pci.bus.value_or(1)}, pci.device.value);
    pci.domain.set(bus.domain);
    pci.bus.set(bus.bus);
    gpu.marks[leaf.bus].source = &derived_source();
  }
}

}  // namespace

void mark_identity_derived(const GpuDraft& start, std::uint32_t index, std::uint32_t repetition, GpuDraft& gpu) {
  static const auto named = [] {
    std::vector<std::uint32_t> all;
    for (const char* field : kIdentityFields)
      all.push_back(leaf_of(*find_field(field)));
    return all;
  }();
  for (const std::uint32_t which : named) {
    Mark& mark = gpu.marks[which];
    if (silent(mark)) continue;
    mark.behind = mark.node == start.marks[which].node ? index : repetition;
    if (mark.behind > 0) mark.source = &derived_source();
  }
}

void derive(const std::string& machine, std::vector<GpuDraft>& gpus) {
  std::uint32_t index = 0;
  for (GpuDraft& gpu : gpus)
    derive_identity(machine, index++, gpu);
  derive_addresses(gpus);
}

}  // namespace nvmlab::compiler
