// SPDX-License-Identifier: Apache-2.0
//
// What a recording cannot tell, field by field, each with its reason: the one reviewed place. A machine that was
// imported from a recording may differ from the recorded one in these, and in nothing else.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "import/recording/recording.hpp"

namespace nvmlab::test {

// What the driver of a recording lacks.
struct Lacking {
  explicit Lacking(const recording::Recording& recording);

  // Whether none of the functions and ids that could tell the field is there.
  bool tells_nothing_of(std::string_view kind) const;
  // A copy for one GPU, which may keep no account of its processes.
  Lacking of_gpu(bool accounts_are_kept) const;

  std::set<std::string, std::less<>> functions;
  std::uint32_t driver = 0;
  bool accounting = true;
};

// Why these two may differ; empty where they may not. An empty value is a field that the board does not support.
std::string_view excuse(std::string_view kind, std::string_view original, std::string_view imported,
                        const Lacking& lacking);

// Names in the table that are no fields.
std::vector<std::string> unknown_names();

}  // namespace nvmlab::test
