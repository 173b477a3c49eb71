// SPDX-License-Identifier: Apache-2.0
// extract(): NVIDIA's nvml.h to the typed model. Three parses with libclang: as users see it (macros, which functions
// are visible), with NVML_NO_UNVERSIONED_FUNC_DEFS (declarations under their own names, the legacy v1 functions), and a
// probe that asks the compiler for the value and type of each macro. Nothing is matched by regular expressions, and no
// comment is kept. Covered by tests/unit/codegen/parser_test.cpp, and on NVIDIA's headers by
// tests/unit/codegen/cached_headers_test.cpp.
#pragma once

#include <filesystem>
#include <string>

#include "codegen/model/facts.hpp"

namespace nvmlab::codegen {

// `name` is what errors call the header; `text` its content.
Result<Release> extract(const std::string& name, const std::string& text, std::string version);

Result<Release> extract_file(const std::filesystem::path& header, std::string version);

// The release that a header says it is in a first-line mark ("NVML VERSION: 13.3.29") or a neighbouring folder name;
// empty if it says none.
std::string stated_version(std::string_view header_text);

}  // namespace nvmlab::codegen
