// SPDX-License-Identifier: Apache-2.0
// model/facts/nvml.json: the registry as text. One definition a line, sorted by name, so that a new header release is a
// diff that a person can read. Covered by tests/unit/codegen/registry_file_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "codegen/model/registry.hpp"

namespace nvmlab::codegen {

std::string to_text(const Registry& registry);

// `name` is what errors call the file.
Result<Registry> parse_registry(std::string_view text, const std::string& name);

Result<Registry> load_registry(const std::filesystem::path& path);

}  // namespace nvmlab::codegen
