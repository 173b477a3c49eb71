// SPDX-License-Identifier: Apache-2.0
// Traces as commands name them. Tests: tests/command/trace_test.cpp.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "command/trace/replay.hpp"

namespace nvmlab::tool {

// A word that is a path rather than the misspelt name of a load; "-" is standard input.
bool names_trace(const std::string& word);

// --every: how far rows that tell no times are apart.
std::expected<std::uint64_t, std::string> interval_of_rows(const std::optional<std::string>& every);

// At most 64 MiB.
std::expected<Trace, LocatedError> load_trace(const std::string& path, std::uint64_t every_ns);

}  // namespace nvmlab::tool
