// SPDX-License-Identifier: Apache-2.0
// What libcudart exports and cuda_runtime_api.h names, for each major version that programs are linked to: functions
// with their parameters, which differ from one major version to the next, and the codes of cudaError. Stored as
// model/facts/cudart.json, one definition a line; nobody edits it. Covered by tests/unit/codegen/cudart_facts_test.cpp.
#pragma once

#include <optional>

#include "codegen/cuda/facts.hpp"

namespace nvmlab::codegen::cudart {

using cuda::Parameter;

// None: the library exports it, no header that is read declares it.
using Parameters = std::optional<std::vector<Parameter>>;

// One release of the runtime.
struct Release {
  std::string version;       // "12.9.79"
  std::string sha256;        // of cuda_runtime_api.h
  std::uint32_t number = 0;  // CUDART_VERSION: 12090
  bool operator==(const Release&) const = default;
};

struct Facts {
  std::map<std::uint32_t, Release> releases;                                          // by major version
  std::map<std::string, std::map<std::uint32_t, Parameters>, std::less<>> functions;  // by symbol and major version
  std::map<std::string, std::int64_t, std::less<>> errors;                            // cudaErrorInvalidValue: 1
  bool operator==(const Facts&) const = default;
};

// Adds a release. `folder` is called as the release is, and holds the headers and libcudart.so, of which the exported
// names alone are read.
std::expected<void, Error> add_release(const std::filesystem::path& folder, Facts& facts);

std::string to_text(const Facts& facts);
Result<Facts> load_facts(const std::filesystem::path& path);

}  // namespace nvmlab::codegen::cudart
