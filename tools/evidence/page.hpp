// SPDX-License-Identifier: Apache-2.0
//
// The page docs/reference/profiles.md, and tools/evidence/evidence.tsv, which keeps what can only be measured where the
// captures are: they are no part of this repository. Tests: tests/unit/evidence/evidence_test.cpp.
#pragma once

#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "evidence/facts.hpp"

namespace nvmlab::evidence {

using Measured = std::map<std::string, Agreement, std::less<>>;  // by profile

std::string table_of(const Measured& measured);
// The error names the line.
std::expected<Measured, std::string> read_table(std::string_view text);

// `load` is load_page().
std::string page_of(std::span<const Profile> profiles, const Measured& measured, std::string_view load);

}  // namespace nvmlab::evidence
