// SPDX-License-Identifier: Apache-2.0
#include "compiler/derive.hpp"

#include <fmt/format.h>

#include <set>
#include <tuple>

namespace nvmlab::compiler {
namespace {

// The leaves that name one board and its place.
struct Leaves {
  std::uint32_t uuid = leaf_of(*find_field("identity.uuid"));
  std::uint32_t serial = leaf_of(*find_field("identity.serial"));
  std::uint32_t pdi = leaf_of(*find_field("identity.pdi"));
  std::uint32_t minor = leaf_of(*find_field("identity.minor_number"));
  std::uint32_t module = leaf_of(*find_field("identity.module_id"));
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
bool disowned(const Mark& mark) { return mark.source == &derived_source(); }

std::uint64_t mix(std::uint64_t value) {  // splitmix64's finaliser
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ull;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBull;
  return value ^ (value >> 31);
}

// Decimal addition that keeps the width and passes over letters.
void add_to_digits(Text<32>& text, std::uint32_t amount) {
  for (std::uint32_t i = text.length; i > 0 && amount > 0; --i) {
    char& digit = text.data[i - 1];
    if (digit < '0' || digit > '9') continue;
    const std::uint32_t sum = static_cast<std::uint32_t>(digit - '0') + amount;
    digit = static_cast<char>('0' + sum % 10);
    amount = sum / 10;
  }
}

void derive_identity(std::string_view machine, std::uint32_t index, GpuDraft& gpu) {
  const Leaves& leaf = leaves();
  Identity& identity = gpu.state->identity;
  const auto take = [&](std::uint32_t which) { gpu.marks[which].source = &derived_source(); };
  if (Mark& mark = gpu.marks[leaf.uuid]; silent(mark) || disowned(mark)) {
    const std::string uuid = derived_uuid(machine, index);
    identity.uuid.set(uuid.data(), static_cast<std::uint32_t>(uuid.size()));
    take(leaf.uuid);
  }
  if (Mark& mark = gpu.marks[leaf.minor]; silent(mark) || disowned(mark)) {
    identity.minor_number.set(index);
    take(leaf.minor);
  }
  if (disowned(gpu.marks[leaf.serial]) && identity.serial.has_value()) add_to_digits(identity.serial, index);
  if (disowned(gpu.marks[leaf.pdi]) && identity.pdi.has_value()) identity.pdi.set(mix(identity.pdi.value + index));
  if (disowned(gpu.marks[leaf.module]) && identity.module_id.has_value()) {
    identity.module_id.set(identity.module_id.value + index);
  }
  if (auto& guid = gpu.state->fabric.gpu_fabric_guid; disowned(gpu.marks[leaf.guid]) && guid.has_value()) {
    std::uint32_t carry = index;
    for (std::uint32_t i = guid.capacity; i > 0 && carry > 0; --i) {
      carry += guid.data[i - 1];
      guid.data[i - 1] = static_cast<std::uint8_t>(carry);
      carry >>= 8;
    }
  }
}

using Address = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // domain, bus, device

class Addresses {
 public:
  void add(const Pci& pci) { taken_.insert({pci.domain.value, pci.bus.value, pci.device.value}); }

  // The next address behind `from` that is free: bus after bus, then the next domain.
  Address next(Address from) {
    auto& [domain, bus, device] = from;
    while (!taken_.insert(from).second) {
      if (++bus <= 0xFF) continue;
      bus = 1;
      ++domain;
    }
    return from;
  }

 private:
  std::set<Address> taken_;
};

bool address_is_open(const GpuDraft& gpu) {
  const Mark& bus = gpu.marks[leaves().bus];
  return silent(bus) || disowned(bus);
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
    const std::uint32_t start = pci.bus.has_value() ? pci.bus.value : 1;
    const auto [domain, bus, device] = addresses.next({pci.domain.value, start, pci.device.value});
    pci.domain.set(domain);
    pci.bus.set(bus);
    gpu.marks[leaf.bus].source = &derived_source();
  }
}

}  // namespace

std::string derived_uuid(std::string_view machine, std::uint32_t index) {
  std::uint64_t sum = 0xcbf29ce484222325ull;
  for (char letter : machine)
    sum = (sum ^ static_cast<unsigned char>(letter)) * 0x100000001b3ull;
  const std::uint64_t high = mix(sum + index);
  const std::uint64_t low = mix(high ^ sum);
  // The form of a random (version 4) UUID.
  return fmt::format("GPU-{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32, (high >> 16) & 0xFFFF, high & 0xFFF,
                     low >> 52, low & 0xFFFF'FFFF'FFFFull);
}

void disown_identity(const GpuDraft& start, GpuDraft& gpu) {
  const Leaves& leaf = leaves();
  for (std::uint32_t which : {leaf.uuid, leaf.serial, leaf.pdi, leaf.minor, leaf.module, leaf.guid, leaf.bus}) {
    Mark& mark = gpu.marks[which];
    if (!silent(mark) && mark.node == start.marks[which].node) mark.source = &derived_source();
  }
}

void derive(std::string_view machine, std::vector<GpuDraft>& gpus) {
  std::uint32_t index = 0;
  for (GpuDraft& gpu : gpus)
    derive_identity(machine, index++, gpu);
  derive_addresses(gpus);
}

}  // namespace nvmlab::compiler
