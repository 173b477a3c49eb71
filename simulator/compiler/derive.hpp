// SPDX-License-Identifier: Apache-2.0
//
// What profiles leave open and every machine needs: UUIDs, minor numbers, PCI addresses; identities of the further GPUs
// where one profile or item describes several, by the rules of
// engine/store/identity.hpp. The rules are in docs/guide/profiles.md. Tests:
// tests/unit/compiler/derive_test.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// What names one board in a profile is the first GPU's of the machine, and what names one in an item of the machine is
// that of the item's first; further GPUs get their own. Marks their values as derived: `index` counts the machine's
// GPUs and `repetition` those of the item, from 0. `start` is the profile's.
void mark_identity_derived(const Marks& start, std::uint32_t index, std::uint32_t repetition, Marks& marks);

// Of GPU `index` all but its address.
void derive_identity(const std::string& machine, std::uint32_t index, GpuDraft& gpu);

// What is left open depends on where the others are: first all of them are listed, in their order, then each gets its
// own.
class Addresses {
 public:
  void list(const Pci& pci, const Marks& marks);
  void settle();
  void derive(std::uint32_t index, GpuDraft& gpu) const;

 private:
  struct Address {
    std::uint32_t domain;
    std::uint32_t bus;
    std::uint32_t device;
    bool open;
  };
  std::vector<Address> addresses_;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> taken_;  // domain, bus, device
};

// All of it, for GPUs that are there at once.
void derive(const std::string& machine, std::vector<GpuDraft>& gpus);

}  // namespace nvmlab::compiler
