// SPDX-License-Identifier: Apache-2.0
//
// Boards that are equal but for what names one of them become one profile; what differs stays with each GPU.
#pragma once

#include <string>
#include <vector>

#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {

// What a board inherits whose chip is not known.
inline constexpr std::string_view kAnyFamily = "common";

struct Board {
  std::string name;      // of the profile: "h100-80gb-hbm3"
  std::string product;   // as printed
  std::string family;    // what it inherits, as YAML; empty: nothing
  Facts facts;           // what all of its GPUs share
  bool shipped = false;  // it inherits a board, not families
};

struct Placed {
  std::size_t board = 0;
  Facts facts;  // what is this GPU's own
};

struct Folded {
  std::vector<Board> boards;
  std::vector<Placed> gpus;
};

// What the board of a GPU inherits, as a profile says it: one name, or a list.
std::string inherited(const Subject& gpu);

Folded fold(const Evidence& evidence);

struct Written {
  std::string yaml;
  std::vector<yaml::Place> origins;  // for each line of it, where its value was read
};

// The whole profile.
Written write_profile(const Evidence& evidence, const Folded& folded, const std::string& machine);

}  // namespace nvmlab::importer
