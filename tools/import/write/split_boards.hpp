// SPDX-License-Identifier: Apache-2.0
//
// Boards that are equal but for what names one of them become one profile; what differs stays with each GPU.
#pragma once

#include <string>
#include <vector>

#include "import/evidence/evidence.hpp"

namespace nvmlab::importer {

struct Board {
  std::string name;                   // of the profile: "h100-80gb-hbm3"
  std::string product;                // as printed
  std::vector<std::string> inherits;  // shipped profiles
  Observations observed;              // what all of its GPUs share
  bool shipped = false;               // it inherits a board, not families
};

struct PlacedGpu {
  std::size_t board = 0;
  Observations observed;  // of this GPU alone
};

struct BoardSplit {
  std::vector<Board> boards;
  std::vector<PlacedGpu> gpus;
};

BoardSplit split_boards(const Evidence& evidence);

}  // namespace nvmlab::importer
