// SPDX-License-Identifier: Apache-2.0
// nvml.h out of an archive in memory: a wheel or zip, a tar of any compression, a .deb, a conda package (a zip that
// holds a tar). Nothing is ever unpacked to disk, so no path in an archive can do harm. Covered by
// tests/unit/codegen/fetch_archive_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

// `name` is what errors call the archive.
Result<std::string> header_in_archive(std::string_view bytes, const std::string& name);

// Does it begin like an archive that header_in_archive() reads?
bool looks_like_archive(std::string_view bytes);

}  // namespace nvmlab::codegen
