// SPDX-License-Identifier: Apache-2.0
#include "compiler/derive.hpp"

#include <utility>

#include "engine/store/identity.hpp"

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

bool silent(const Mark& mark) { return mark.place == nullptr; }

bool address_is_open(const Pci& pci, const Marks& marks) {
  const Mark& bus = marks[leaves().bus];
  return silent(bus) || (bus.behind > 0 && pci.bus.has_value());
}

}  // namespace

void derive_identity(const std::string& machine, std::uint32_t index, GpuDraft& gpu) {
  const Leaves& leaf = leaves();
  const Marks& marks = gpu.marks;
  Identity& identity = gpu.state->identity;
  const bool another = marks[leaf.uuid].behind > 0 && identity.uuid.has_value();
  if (silent(marks[leaf.uuid]) || another) {
    derive_uuid(machine.c_str(), index, &identity.uuid);
    gpu.marks[leaf.uuid].source = &derived_source();
  }
  if (marks[leaf.pdi].behind > 0 && identity.pdi.has_value()) identity.pdi.set(derive_pdi(machine.c_str(), index));
  if (silent(marks[leaf.minor])) {
    identity.minor_number.set(index);
    gpu.marks[leaf.minor].source = &derived_source();
  } else {
    count_up(&identity.minor_number, marks[leaf.minor].behind);
  }
  count_up(&identity.serial, marks[leaf.serial].behind);
  count_up(&identity.module_id, marks[leaf.module].behind);
  count_up(&gpu.state->fabric.platform_module_id, marks[leaf.platform_module].behind);
  count_up(&gpu.state->fabric.gpu_fabric_guid, marks[leaf.guid].behind);
}

void Addresses::list(const Pci& pci, const Marks& marks) {
  const auto stated = [&](std::uint32_t leaf, const Fact<std::uint32_t>& fact) {
    return silent(marks[leaf]) ? 0 : fact.value;
  };
  const Address address{stated(leaves().domain, pci.domain), pci.bus.value_or(1), stated(leaves().device, pci.device),
                        address_is_open(pci, marks)};
  if (!address.open) taken_.insert({address.domain, pci.bus.value, address.device});
  addresses_.push_back(address);
}

void Addresses::settle() {
  for (Address& address : addresses_) {
    if (!address.open) continue;
    PciBus bus{address.domain, address.bus};
    while (!taken_.insert({bus.domain, bus.bus, address.device}).second)
      bus = bus_behind(bus, 1);
    address.domain = bus.domain;
    address.bus = bus.bus;
  }
}

void Addresses::derive(std::uint32_t index, GpuDraft& gpu) const {
  const Leaves& leaf = leaves();
  Pci& pci = gpu.state->pci;
  for (auto [which, fact] : {std::pair(leaf.domain, &pci.domain), std::pair(leaf.device, &pci.device)}) {
    if (!silent(std::as_const(gpu.marks)[which])) continue;
    fact->set(0);
    gpu.marks[which].source = &derived_source();
  }
  const Address& address = addresses_[index];
  if (!address.open) return;
  pci.domain.set(address.domain);
  pci.bus.set(address.bus);
  gpu.marks[leaf.bus].source = &derived_source();
}

void mark_identity_derived(const Marks& start, std::uint32_t index, std::uint32_t repetition, Marks& marks) {
  static const auto named = [] {
    std::vector<std::uint32_t> all;
    for (const char* field : kIdentityFields)
      all.push_back(leaf_of(*find_field(field)));
    return all;
  }();
  for (const std::uint32_t which : named) {
    const Mark& stated = std::as_const(marks)[which];
    if (silent(stated)) continue;
    const std::uint32_t behind = stated.place == start[which].place ? index : repetition;
    if (behind == stated.behind) continue;
    marks[which].behind = behind;
    if (behind > 0) marks[which].source = &derived_source();
  }
}

void derive(const std::string& machine, std::vector<GpuDraft>& gpus) {
  Addresses addresses;
  for (const GpuDraft& gpu : gpus)
    addresses.list(gpu.state->pci, gpu.marks);
  addresses.settle();
  for (std::uint32_t i = 0; i < gpus.size(); ++i) {
    derive_identity(machine, i, gpus[i]);
    addresses.derive(i, gpus[i]);
  }
}

}  // namespace nvmlab::compiler
