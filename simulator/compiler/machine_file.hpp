// SPDX-License-Identifier: Apache-2.0
// Compiled machines as files (engine/store/image.hpp). Tests: tests/unit/command/sources_test.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "compiler/compile.hpp"

namespace nvmlab::compiler {

// Returns the bytes of a file that is no longer than a machine file can be. The error names the file.
std::expected<std::vector<std::byte>, std::string> read_machine_file(const std::string& path);

// Opens a machine file, with another number of GPUs or another driver if the options say so. The machine has no
// provenance.
std::expected<Machine, std::string> open_machine_file(const std::string& path, const CompileOptions& options);

std::uint64_t hash_of(const Machine& machine);  // over its image

}  // namespace nvmlab::compiler
