// SPDX-License-Identifier: Apache-2.0
// The options that `nvmlab compare` and `nvmlab profiles diff` share. Tests: tests/command/compare_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "command/cli/command_line.hpp"
#include "command/compare/table.hpp"
#include "command/profile/sources.hpp"

namespace nvmlab::tool {

// As diff(1) has them.
inline constexpr int kSame = 0;
inline constexpr int kDifferent = 1;
inline constexpr int kTrouble = 2;

int trouble(const Complaints& complaints);  // tells them; kTrouble

struct ComparisonOptions {
  std::optional<std::string> only;
  bool everything = false;
  std::optional<std::string> gpus;
  bool no_identifiers = false;
};
void add_comparison_options(CommandLine& line, ComparisonOptions& options);  // all but --no-identifiers

// --only and --all, over what is shown without them. The error is for the user.
std::expected<Shown, std::string> shown_classes(const ComparisonOptions& options, const Shown& otherwise);

// --gpu: which pairs; all that match without it.
std::expected<compare::Options, std::string> chosen_pairs(const ComparisonOptions& options, const compare::Side& a,
                                                          const compare::Side& b);

}  // namespace nvmlab::tool
