// SPDX-License-Identifier: Apache-2.0
//
// In which order the state of a GPU and of the node lies in memory. What a board tells of itself is a few kilobytes
// among some ninety of lists that are mostly empty, and a page of nothing but zeros is never touched: so a process pays
// for the pages that hold something. Small topics lie together. Of the others some have their lists behind what they
// always tell, the next ones in front of it, so that two of them share a page.
// Tests: tests/unit/codegen/state_layout_test.cpp; tests/drivers/abi/start_test.cpp counts the pages.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/state/vocabulary.hpp"

namespace nvmlab::codegen {

struct TopicLayout {
  const StateTopic* topic;
  std::vector<const StateField*> fields;
};

// The topics of a GPU, or of the node.
std::vector<TopicLayout> layout_of(const Vocabulary& vocabulary, bool of_node);

// Of what decides the layout: a store or machine file made by a build with other structs is refused.
std::uint64_t layout_hash(const Vocabulary& vocabulary);

}  // namespace nvmlab::codegen
