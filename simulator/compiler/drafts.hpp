// SPDX-License-Identifier: Apache-2.0
//
// Machines whose values were read from something other than a profile. The importer has them checked before it writes
// a profile, with the same checks that the profile passes when it is compiled.
// Tests: tests/unit/compiler/drafts_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/yaml/tree.hpp"
#include "compiler/provenance.hpp"

namespace nvmlab::compiler {

struct DraftValue {
  std::string_view field;            // "power.draw_mw"; of a record, one of its members
  std::span<const std::byte> bytes;  // as the state keeps them; of a list, its items and no more
  const Source* source = nullptr;
  yaml::Place origin;  // the line of the input
};

struct DraftBoard {
  std::vector<std::string> inherits;  // shipped profiles, the later over the earlier
  std::vector<DraftValue> values;
};

struct DraftGpu {
  std::size_t board = 0;
  std::vector<DraftValue> values;  // of this GPU; they replace values of its board
};

struct Drafts {
  std::string machine;  // its name
  std::vector<DraftValue> node;
  std::vector<DraftBoard> boards;
  std::vector<DraftGpu> gpus;
};

struct DraftProblem {
  std::string_view field;            // that does not fit; empty: no single value is wrong
  std::optional<std::uint32_t> gpu;  // the first one that has the value; none for the node
  yaml::Place origin;                // of the value
  std::string message;
};

struct DraftCheck {
  std::vector<DraftProblem> problems;  // without any, the profile compiles
  std::vector<DraftProblem> notes;     // odd values that are kept, because a capture has them
};

// Finds what does not fit together. Each list is in the order of the values: of the node, the boards, the GPUs.
DraftCheck check(const Drafts& drafts);

}  // namespace nvmlab::compiler
