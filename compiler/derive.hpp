// SPDX-License-Identifier: Apache-2.0
//
// What profiles leave open and every machine needs: UUIDs, minor numbers, PCI addresses; identities of the further GPUs
// where one profile describes several. The rules are in docs/guide/profiles.md. Tests:
// tests/unit/compiler/derive_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/layers.hpp"

namespace nvmlab::compiler {

// Text of a UUID that depends on the machine's name and the GPU's index only.
std::string derived_uuid(std::string_view machine, std::uint32_t index);

// What names one board in a profile is the first GPU's; a further GPU that has it from there, not from its own item in
// the machine, gets its own. Marks those values as derived. `start` is the profile's draft.
void disown_identity(const GpuDraft& start, GpuDraft& gpu);

void derive(std::string_view machine, std::vector<GpuDraft>& gpus);

}  // namespace nvmlab::compiler
