// SPDX-License-Identifier: Apache-2.0
//
// What profiles leave open and every machine needs: UUIDs, minor numbers, PCI addresses; identities of the further GPUs
// where one profile or item describes several, by the rules of
// engine/machine/identity.hpp. The rules are in docs/guide/profiles.md. Tests:
// tests/unit/compiler/derive_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// What names one board in a profile is the first GPU's of the machine, and what names one in an item of the machine is
// that of the item's first; further GPUs get their own. Marks their values as derived: `index` counts the machine's
// GPUs and `repetition` those of the item, from 0. `start` is the profile's draft.
void mark_identity_derived(const GpuDraft& start, std::uint32_t index, std::uint32_t repetition, GpuDraft& gpu);

void derive(const std::string& machine, std::vector<GpuDraft>& gpus);

}  // namespace nvmlab::compiler
