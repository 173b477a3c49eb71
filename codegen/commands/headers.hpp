// SPDX-License-Identifier: Apache-2.0
// Which headers a command is about: one that the user names, or all of the cache. Shared by extract and validate.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "codegen/error.hpp"

namespace nvmlab::codegen {

struct HeaderSource {
  std::filesystem::path header;
  std::string version;
};

// A header's release: as the user says, as the header says, or as its folder is called (build/headers/13.3.29/nvml.h).
Result<HeaderSource> single_header(const std::string& header, const std::string& version);

// By release; an error if there is none.
Result<std::vector<HeaderSource>> cached_headers(const std::filesystem::path& cache);

Result<std::vector<HeaderSource>> headers_of(const std::string& header, const std::string& version,
                                             const std::filesystem::path& cache);

}  // namespace nvmlab::codegen
