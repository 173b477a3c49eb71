// SPDX-License-Identifier: Apache-2.0
//
// A machine as a side, statement by statement of the state vocabulary. One statement is one leaf of it: a field, or a
// member of a record; a list is one statement, so that the hundreds of numbers of a board's links or clocks weigh no
// more than its power limit. Tests: tests/unit/compare/fields_test.cpp.
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/side.hpp"
#include "compiler/compile.hpp"
#include "import/importer.hpp"

namespace nvmlab::compare {

// What a machine says counts as observed...
enum class Observed : unsigned char {
  all,       // ... wherever it is from: a profile answers for what it inherits and assumes
  evidence,  // ... only where its own file names a capture: what an imported machine has from a family or by
             // derivation, nobody saw
};

Side fields_of(const Node& node, std::span<const Gpu> gpus, const compiler::Provenance* provenance, Observed observed,
               std::string_view machine);
Side fields_of(const compiler::Machine& machine, Observed observed = Observed::all);

// Imports the inputs, as `nvmlab import` does, and takes what they tell. `leaves`: what became of those of their logs.
std::expected<Side, Complaints> fields_of(std::span<const importer::Input> inputs,
                                          importer::LeafLedger* leaves = nullptr);

}  // namespace nvmlab::compare
