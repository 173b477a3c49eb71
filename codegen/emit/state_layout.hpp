// SPDX-License-Identifier: Apache-2.0
//
// In which order the state of a GPU and of the node lies in memory. What a board tells of itself is a few kilobytes
// among some ninety of lists that are mostly empty, and a page of nothing but zeros is never touched: so a process pays
// for the pages that hold something. Tests: tests/unit/codegen/state_layout_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

// Lists last.
std::vector<const StateField*> in_order_of_layout(const StateTopic& topic);

// Small topics first: large ones are large through their lists.
std::vector<const StateTopic*> in_order_of_layout(const Vocabulary& vocabulary, bool of_node);

// Of what decides the layout: a store or machine file made by a build with other structs is refused.
std::uint64_t layout_hash(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
